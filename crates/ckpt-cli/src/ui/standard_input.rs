//! Reads standard input without waiting forever for its end.

use std::io::{self, Read};
use std::time::Duration;

/// Reads standard input to its end. Fails if that takes longer than `time`, or if there are more than `longest` bytes.
#[cfg(unix)]
pub(super) fn within(time: Duration, longest: u64) -> io::Result<Vec<u8>> {
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let end = Instant::now() + time;
    let mut stdin = io::stdin().lock();
    let mut input = Vec::new();
    // Most events are short, and touching each page of a larger buffer would cost as much as everything else.
    let mut piece = [0; 8 * 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let descriptor = io::stdin();
        let mut waiting = [PollFd::new(&descriptor, PollFlags::IN)];
        if poll(&mut waiting, left.as_ref())? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the event did not end in time",
            ));
        }
        match stdin.read(&mut piece)? {
            0 => return Ok(input),
            length => input.extend_from_slice(&piece[..length]),
        }
        if input.len() as u64 > longest {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the event is too large",
            ));
        }
    }
}

/// Reads at most `longest` bytes of standard input.
#[cfg(not(unix))]
pub(super) fn within(_: Duration, longest: u64) -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    io::stdin().take(longest).read_to_end(&mut input)?;
    Ok(input)
}
