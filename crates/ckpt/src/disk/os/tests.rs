use std::io::{self, Read};

use super::{UNKNOWN, fill};

/// A file with a bad block after its first bytes.
struct Damaged(usize);

impl Read for Damaged {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match std::mem::take(&mut self.0) {
            0 => Err(io::Error::other("bad block")),
            good => {
                buffer[..good].fill(b'x');
                Ok(good)
            }
        }
    }
}

#[test]
fn what_comes_before_a_bad_block_is_not_the_whole_file() {
    for length in [4096, UNKNOWN] {
        let mut buffer = vec![0; 4097];
        assert!(fill(Damaged(100), &mut buffer, length).is_err(), "{length}");
    }
    let mut buffer = vec![0; 101];
    assert_eq!(fill(Damaged(100), &mut buffer, 100).unwrap(), 100);
}
