//! Reading standard input, without waiting forever for its end.

use std::io::{self, Read};
use std::time::Duration;

/// Reads standard input to its end, at most so many bytes. It does not wait for a writer that is silent or never stops.
#[cfg(unix)]
pub(super) fn within(time: Duration, longest: u64) -> io::Result<Vec<u8>> {
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let end = Instant::now() + time;
    let mut stdin = io::stdin().lock();
    let mut input = Vec::new();
    // Most events are short, and touching each page of a larger buffer would cost as much as all the rest.
    let mut piece = [0; 8 * 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let descriptor = io::stdin();
        let mut waiting = [PollFd::new(&descriptor, PollFlags::IN)];
        if poll(&mut waiting, left.as_ref())? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the event does not end",
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

/// Reads standard input to its end, at most so many bytes.
#[cfg(not(unix))]
pub(super) fn within(_: Duration, longest: u64) -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    io::stdin().take(longest).read_to_end(&mut input)?;
    Ok(input)
}
