use super::*;

fn parsed(text: &str) -> Result<String, EndpointError> {
    Endpoint::parse(text, Reach::Public).map(|endpoint| endpoint.uri().to_string())
}

#[test]
fn an_address_is_encrypted_unless_private_networks_are_allowed() {
    let plain = "http://127.0.0.1:8080/hook";
    assert_eq!(parsed(plain), Err(EndpointError::Unencrypted));
    assert!(Endpoint::parse(plain, Reach::Private).is_ok());
    assert_eq!(
        parsed("https://example.com/hook?a=b").as_deref(),
        Ok("https://example.com/hook?a=b")
    );
}

#[test]
fn what_is_no_plain_address_is_refused() {
    for text in [
        "",
        "example.com",
        "/hook",
        "https://",
        "https:///path",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com\\@evil.example/",
        "https://example.com/#part",
    ] {
        assert_eq!(parsed(text), Err(EndpointError::Malformed), "{text:?}");
    }
    assert_eq!(
        parsed("https://user:word@example.com/"),
        Err(EndpointError::Credentials)
    );
    let long = format!("https://example.com/{}", "a".repeat(3000));
    assert_eq!(parsed(&long), Err(EndpointError::TooLong));
}

#[test]
fn only_the_origin_is_shown() {
    let endpoint = Endpoint::parse("https://hooks.example.com:444/T0/secret", Reach::Public);
    let endpoint = endpoint.expect("an address");
    assert_eq!(endpoint.origin(), "https://hooks.example.com:444");
    assert_eq!(
        format!("{endpoint:?}"),
        "Endpoint(https://hooks.example.com:444/…)"
    );
}

#[test]
fn segments_and_values_cannot_lead_elsewhere() {
    let base = Endpoint::parse("https://api.example.com/base/", Reach::Public).expect("an address");
    let at = base.at(
        &["repos", "a/../b?c#d", "ü"],
        &[("sha", "1&x=2"), ("q", " ")],
    );
    assert_eq!(
        at.uri().to_string(),
        "https://api.example.com/base/repos/a%2F..%2Fb%3Fc%23d/%C3%BC?sha=1%26x%3D2&q=%20"
    );
}
