//! Decisions taken from the bytes of an input.

/// The rest of an input, which decides what a target does, first byte first. When it has run out, every decision is the
/// first possible one, so that each input is complete and short ones are simple.
#[derive(Debug, Clone)]
pub(crate) struct Choices<'b>(&'b [u8]);

impl<'b> Choices<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// An input that is a text and choices: the first NUL separates them. No text that is worth reading has a NUL in it,
    /// and so seeds can be read and edited.
    pub(crate) fn after_text(bytes: &'b [u8]) -> (&'b [u8], Self) {
        match bytes.iter().position(|byte| *byte == 0) {
            Some(end) => (&bytes[..end], Self(&bytes[end + 1..])),
            None => (bytes, Self(&[])),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Whether to do something.
    pub(crate) fn yes(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let number = match limit {
            ..=0x100 => usize::from(self.byte()),
            _ => usize::from(self.byte()) << 8 | usize::from(self.byte()),
        };
        number % limit
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}
