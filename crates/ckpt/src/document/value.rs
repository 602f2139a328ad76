//! A JSON tree without formatting, which rules read and change.

use std::collections::HashMap;

use super::{Pointer, print};

/// The text type of a tree. Most names, ids and times fit into it without an allocation.
pub(crate) type Text = compact_str::CompactString;

/// Whole numbers below this mean the same to every JSON reader.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its spelling.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

/// A number, kept as written so that no digit is lost.
#[derive(Debug, Clone)]
pub struct Number(Text);

impl Number {
    /// Wraps the text of a number that the parser has accepted.
    pub(super) fn from_json(raw: &str) -> Self {
        Self(raw.into())
    }

    /// The spelling.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }
}

/// Equal spelling, or equal value if a float holds it exactly: `1` equals `1.0`, but two numbers beyond 2^53 are equal
/// only if they are written the same.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || match (self.0.parse::<f64>(), other.0.parse::<f64>()) {
                (Ok(one), Ok(two)) => one == two && one.abs() < EXACT,
                _ => false,
            }
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

/// The members of an object, in order, with unique names.
#[derive(Debug, Clone, Default)]
pub struct Object(Vec<(Text, Value)>);

impl Object {
    /// No members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// An object from members whose names are known to be unique. They are not checked.
    pub(crate) fn from_unique<S: Into<Text>>(
        members: impl IntoIterator<Item = (S, Value)>,
    ) -> Self {
        let members = members.into_iter();
        Self(members.map(|(name, value)| (name.into(), value)).collect())
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, v)| v)
    }

    /// The value of a member, mutable.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0
            .iter_mut()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Replaces a member's value, or appends the member.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        match self.get_mut(name) {
            Some(present) => *present = value.into(),
            None => self.0.push((name.into(), value.into())),
        }
    }

    /// Replaces a member's value, or inserts the member after `predecessor` (at the end if that is missing).
    pub fn set_after(&mut self, predecessor: &str, name: &str, value: impl Into<Value>) {
        if let Some(present) = self.get_mut(name) {
            *present = value.into();
            return;
        }
        let place = self.0.iter().position(|(key, _)| key == predecessor);
        let place = place.map_or(self.0.len(), |at| at + 1);
        self.0.insert(place, (name.into(), value.into()));
    }

    /// Sets many members, replacing or appending each.
    pub(crate) fn set_all<S: Into<Text>>(&mut self, members: impl IntoIterator<Item = (S, Value)>) {
        let present = self.0.iter().map(|(name, _)| name.clone());
        let mut places: HashMap<Text, usize> = present.zip(0..).collect();
        for (name, value) in members {
            let name = name.into();
            match places.get(&name) {
                Some(&place) => self.0[place].1 = value,
                None => {
                    places.insert(name.clone(), self.0.len());
                    self.0.push((name, value));
                }
            }
        }
    }

    /// The object under a name; created if the member is missing or not an object.
    pub fn object_mut(&mut self, name: &str) -> &mut Object {
        let place = self.0.iter().position(|(key, _)| key == name);
        let place = place.unwrap_or_else(|| {
            self.0.push((name.into(), Value::Null));
            self.0.len() - 1
        });
        let value = &mut self.0[place].1;
        if value.as_object().is_none() {
            *value = Value::Object(Object::new());
        }
        value.as_object_mut().expect("it has just become one")
    }

    /// Removes a member and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let place = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(place).1)
    }

    /// The members in order, with mutable values.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value)> {
        self.0
            .iter_mut()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Keeps only the members whose name `keep` accepts.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|(name, _)| keep(name));
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Merges `patch` into this object: objects are merged member by member, anything else is replaced.
    pub fn merge(&mut self, patch: Object) {
        for (name, value) in patch.0 {
            match (self.get_mut(&name), value) {
                (Some(Value::Object(present)), Value::Object(patch)) => present.merge(patch),
                (_, value) => self.set(&name, value),
            }
        }
    }
}

/// The order of members has no meaning.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self
            .0
            .iter()
            .zip(&other.0)
            .all(|((one, _), (two, _))| one == two)
        {
            return self
                .0
                .iter()
                .zip(&other.0)
                .all(|((_, one), (_, two))| one == two);
        }
        let theirs: HashMap<&str, &Value> = other.iter().collect();
        self.iter()
            .all(|(name, value)| theirs.get(name) == Some(&value))
    }
}

impl<S: Into<Text>> FromIterator<(S, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (S, Value)>>(members: I) -> Self {
        let mut object = Self::new();
        for (name, value) in members {
            object.set(&name.into(), value);
        }
        object
    }
}

impl IntoIterator for Object {
    type Item = (Text, Value);
    type IntoIter = std::vec::IntoIter<(Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Value {
    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object, by value, if it is one.
    #[must_use]
    pub fn into_object(self) -> Option<Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object, mutable, if it is one.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The items, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The value that a pointer names.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Value> {
        pointer
            .segments()
            .try_fold(self, |value, name| match value {
                Self::Object(object) => object.get(name),
                Self::Array(items) => items.get(Pointer::array_index(name)?),
                _ => None,
            })
    }

    /// The value that a pointer names, mutable.
    pub fn at_mut(&mut self, pointer: &Pointer) -> Option<&mut Value> {
        pointer
            .segments()
            .try_fold(self, |value, name| match value {
                Self::Object(object) => object.get_mut(name),
                Self::Array(items) => items.get_mut(Pointer::array_index(name)?),
                _ => None,
            })
    }

    /// The text on one line, without spaces.
    #[must_use]
    pub fn to_compact(&self) -> String {
        print::to_compact(self)
    }
}

impl Value {
    /// A string that is part of the program. It is not copied.
    #[must_use]
    pub const fn constant(text: &'static str) -> Self {
        Self::String(Text::const_new(text))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<&Object> for Value {
    fn from(object: &Object) -> Self {
        Self::Object(object.clone())
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}
