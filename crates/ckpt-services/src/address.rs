//! Which addresses a request may go to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far a request may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// Only addresses of the public internet.
    #[default]
    Public,
    /// Also this machine and the networks around it, because the user allows it.
    Private,
}

impl Reach {
    /// Whether a request may go to an address.
    #[must_use]
    pub fn admits(self, address: IpAddr) -> bool {
        self == Self::Private || is_public(address)
    }
}

/// Whether an address belongs to the public internet: not to this machine, a network around it, or a range that is
/// reserved. An address that leads to another one is judged by that.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_reserved = match (first, second, third) {
        // This network; shared by customers of a provider; for protocols; for measurements.
        (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18..=19, _) => true,
        // The former relays from version 6.
        (192, 88, 99) => true,
        // Multicast, and reserved.
        (224.., ..) => true,
        _ => false,
    };
    !(is_reserved
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [.., high, low] = segments;
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    let last = Ipv4Addr::new(a, b, c, d);
    match segments {
        // A version 4 address in another form, or behind a translator.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(last),
        // A version 4 address in the middle: 6to4.
        [0x2002, high, low, ..] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Tunnels, benchmarks, identities, and what else is set aside for protocols; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Only this part is given out. The rest is local, multicast or reserved.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
