use super::*;

#[test]
fn addresses_of_this_machine_and_its_networks_are_not_public() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.3",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        let address: IpAddr = address.parse().expect("an address");
        assert!(!is_public(address), "{address} counts as public");
        assert!(!Reach::Public.admits(address));
        assert!(Reach::Private.admits(address));
    }
}

#[test]
fn addresses_of_the_internet_are_public() {
    for address in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "192.1.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "::ffff:1.1.1.1",
        "64:ff9b::1.1.1.1",
        "2001:4860:4860::8888",
        "2002:101:101::1",
        "2606:4700::1111",
    ] {
        let address: IpAddr = address.parse().expect("an address");
        assert!(is_public(address), "{address} does not count as public");
        assert!(Reach::Public.admits(address));
    }
}
