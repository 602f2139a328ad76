use super::*;

#[test]
fn a_summary_at_the_limit_is_valid_and_one_word_more_is_not() {
    let verdict = validate(&"word ".repeat(500), Limit::default());
    assert_eq!(
        (verdict.valid, verdict.token_count, verdict.error),
        (true, 500, None)
    );
    let verdict = validate(&"word ".repeat(501), Limit::default());
    assert_eq!(
        serde_json::to_string(&verdict).unwrap(),
        r#"{"valid":false,"tokenCount":501,"limit":500,"error":"Context summary exceeds 500 token limit (actual: 501 tokens)"}"#
    );
}

#[test]
fn another_counter_than_words_is_named() {
    let limit = Limit {
        most: 2,
        counter: Counter::O200k,
    };
    let error = limit.check("three little words").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Context summary exceeds 2 token limit (actual: 3 tokens) (counter: o200k)"
    );
}
