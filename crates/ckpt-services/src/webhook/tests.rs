use super::*;

fn key(text: &str) -> Result<SigningKey, SigningKeyError> {
    SigningKey::read(&Secret::new(text))
}

#[test]
fn a_message_is_signed_as_the_specification_says() {
    let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").expect("a key");
    let body = br#"{"test": 2432232314}"#;
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    let [id, time, signature] = signature_headers(id, 1_614_265_330, body, &[key]);
    assert_eq!(id.1, "msg_p5jXN8AQM9LWM0D4loKWxJek");
    assert_eq!(time.1, "1614265330");
    assert_eq!(
        signature.1,
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

#[test]
fn two_keys_give_two_signatures() {
    let one = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
    let other = key("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").expect("a key");
    let headers = signature_headers("id", 1, b"{}", &[one.clone(), other.clone()]);
    let expected = [one, other].map(|key| key.signature("id", 1, b"{}"));
    assert_eq!(headers[2].1, expected.join(" "));
}

#[test]
fn what_is_no_secret_is_refused_without_repeating_it() {
    for text in [
        "",
        "whsec_",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_AAAA",
        "whsec_?",
    ] {
        let error = key(text).err().expect("no key").to_string();
        assert!(text.is_empty() || text == PREFIX || !error.contains(text));
    }
}
