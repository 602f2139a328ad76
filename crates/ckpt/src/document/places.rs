//! The line and parent of every value in a document, computed once for all of them.

use super::{Document, Kind, Node};

/// The place of each value in a document.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The offset of each newline.
    line_ends: Vec<usize>,
    /// How each value is reached, by index.
    ways: Vec<Way>,
}

/// How a value is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// The index of its container.
    pub(super) holder: usize,
    /// The last step to it.
    pub(super) step: Step,
}

/// A step from a container to a value in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// To a member's name; also used for the root.
    None,
    /// To a member's value, which follows its name.
    Member,
    /// To an item of an array.
    Item(usize),
}

impl Places {
    pub(super) fn of(document: &Document) -> Self {
        let outermost = Way {
            holder: 0,
            step: Step::None,
        };
        let mut ways = vec![outermost; document.entries.len()];
        for holder in 0..ways.len() {
            let node = Node::new(document, holder);
            match node.kind() {
                Kind::Object => {
                    for (key, value) in node.all_members() {
                        ways[key.index()].holder = holder;
                        let step = Step::Member;
                        ways[value.index()] = Way { holder, step };
                    }
                }
                Kind::Array => {
                    for (number, item) in node.items().enumerate() {
                        let step = Step::Item(number);
                        ways[item.index()] = Way { holder, step };
                    }
                }
                _ => {}
            }
        }
        Self {
            line_ends: memchr::memchr_iter(b'\n', document.text.as_bytes()).collect(),
            ways,
        }
    }

    /// The line of an offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.line_ends.partition_point(|end| *end < offset) + 1
    }

    /// The offset where the line of `offset` begins.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        let before = self.line(offset) - 1;
        let end = before.checked_sub(1).map(|last| self.line_ends[last]);
        end.map_or(0, |end| end + 1)
    }

    /// How the value with this index is reached.
    pub(super) fn way(&self, index: usize) -> Way {
        self.ways[index]
    }
}
