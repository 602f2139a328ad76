//! One way to read JSON, whether it is a document in place or a plain tree.

use std::borrow::Cow;

use super::{Kind, Node, Object, Value};

/// A JSON value that can be read. Code that reads a checkpoint through it works for stored documents and for trees that
/// are about to be stored.
pub trait Tree<'t>: Copy {
    /// What the value is.
    fn kind(self) -> Kind;

    /// The member of an object with this name.
    fn get(self, name: &str) -> Option<Self>;

    /// The string, if it is one.
    fn as_str(self) -> Option<Cow<'t, str>>;

    /// The spelling of a number, if it is one.
    fn as_number(self) -> Option<&'t str>;

    /// The items of an array; nothing for any other kind.
    fn items(self) -> impl Iterator<Item = Self>;

    /// The members of an object, each name once; nothing for any other kind.
    fn members(self) -> Vec<(Cow<'t, str>, Self)>;

    /// This value as an owned plain tree.
    fn to_value(self) -> Value;

    /// The boolean, if it is one.
    fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The number, if it is a whole one that fits.
    fn as_u64(self) -> Option<u64> {
        self.as_number()?.parse().ok()
    }

    /// Whether it is `null`.
    fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string under a name.
    fn text(self, name: &str) -> Option<Cow<'t, str>> {
        self.get(name)?.as_str()
    }

    /// The strings in the list under a name. Items that are not strings are skipped.
    fn texts(self, name: &str) -> Vec<Cow<'t, str>> {
        let items = self.get(name).into_iter().flat_map(Self::items);
        items.filter_map(Self::as_str).collect()
    }
}

impl<'d> Tree<'d> for Node<'d> {
    fn kind(self) -> Kind {
        Node::kind(self)
    }

    fn get(self, name: &str) -> Option<Self> {
        Node::get(self, name)
    }

    fn as_str(self) -> Option<Cow<'d, str>> {
        Node::as_str(self)
    }

    fn as_number(self) -> Option<&'d str> {
        (self.kind() == Kind::Number).then(|| self.raw())
    }

    fn items(self) -> impl Iterator<Item = Self> {
        Node::items(self)
    }

    fn members(self) -> Vec<(Cow<'d, str>, Self)> {
        Node::members(self)
    }

    fn to_value(self) -> Value {
        self.value()
    }
}

/// A plain tree, or the object at its root, for reading.
#[derive(Debug, Clone, Copy)]
pub enum View<'v> {
    /// An object.
    Object(&'v Object),
    /// Any value.
    Value(&'v Value),
}

impl<'v> View<'v> {
    fn object(self) -> Option<&'v Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Value(value) => value.as_object(),
        }
    }

    fn value(self) -> Option<&'v Value> {
        match self {
            Self::Object(_) => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<'v> Tree<'v> for View<'v> {
    fn kind(self) -> Kind {
        match self {
            Self::Object(_) => Kind::Object,
            Self::Value(value) => value.kind(),
        }
    }

    fn get(self, name: &str) -> Option<Self> {
        self.object()?.get(name).map(Self::Value)
    }

    fn as_str(self) -> Option<Cow<'v, str>> {
        self.value()?.as_str().map(Cow::Borrowed)
    }

    fn as_number(self) -> Option<&'v str> {
        match self.value()? {
            Value::Number(number) => Some(number.raw()),
            _ => None,
        }
    }

    fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value().and_then(Value::as_array);
        items.unwrap_or_default().iter().map(Self::Value)
    }

    fn members(self) -> Vec<(Cow<'v, str>, Self)> {
        let members = self.object().into_iter().flat_map(Object::iter);
        members
            .map(|(name, value)| (Cow::Borrowed(name), Self::Value(value)))
            .collect()
    }

    fn to_value(self) -> Value {
        match self {
            Self::Object(object) => Value::Object(object.clone()),
            Self::Value(value) => value.clone(),
        }
    }
}

impl Object {
    /// This object, for reading through [`Tree`].
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::Object(self)
    }
}

impl Value {
    /// This value, for reading through [`Tree`].
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::Value(self)
    }

    /// What the value is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(true) => Kind::True,
            Self::Bool(false) => Kind::False,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }
}
