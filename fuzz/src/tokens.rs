//! Token counters: words against JavaScript's definition of white space, and the vocabularies against tiktoken-rs.
//!
//! Each input is used twice: as a text, and as choices of characters on which splitting depends.

use std::sync::LazyLock;

use ckpt::tokens::{Counter, Limit, count_words, estimate, fit, validate};
use regex::Regex;
use tiktoken_rs::CoreBPE;

use crate::choices::Choices;

/// The other library takes quadratic time for some texts, so longer ones are cut.
const LONGEST: usize = 1024;

/// What `\s` matches in JavaScript: WhiteSpace and LineTerminator of ECMA-262. WhiteSpace contains the category Zs.
static WHITE_SPACE: LazyLock<Regex> = LazyLock::new(|| {
    let class = r"[\t\x0B\x0C\u{FEFF}\p{Zs}\n\r\u{2028}\u{2029}]+";
    Regex::new(class).expect("a regular expression")
});

static O200K: LazyLock<CoreBPE> =
    LazyLock::new(|| tiktoken_rs::o200k_base().expect("its vocabulary"));

static CL100K: LazyLock<CoreBPE> =
    LazyLock::new(|| tiktoken_rs::cl100k_base().expect("its vocabulary"));

/// Pieces on which splitting depends: letters of each category, contractions, digits, white space, marks, code.
const PIECES: &[&str] = &[
    " ",
    "a",
    "B",
    "the",
    " The",
    "'s",
    "'LL",
    "'ſ",
    "1",
    "1234",
    "\n",
    "\r\n",
    "  ",
    "\t",
    ".",
    "...",
    "/",
    "//\n",
    "é",
    "e\u{301}",
    "ǅ",
    "ʰ",
    "ª",
    "日本語",
    "한국",
    "ß",
    "ⅷ",
    "½",
    "٣",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "\u{3000}",
    "\u{200b}",
    "\u{200d}",
    "😀",
    "👩‍👧",
    "🏳️‍🌈",
    "<|endoftext|>",
    "HTML",
    "Parser",
    "\0",
    "\u{10ffff}",
    "{\"k\": [1]}",
    "fn main() {\n",
    "- [ ] x\n",
    "# H\n",
    "```\n",
    ". B",
    "! ",
    "。",
];

/// Counts tokens in two texts.
pub fn run(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    counted(&String::from_utf8_lossy(bytes), bytes);
    let mut choices = Choices::new(bytes);
    let mut text = String::new();
    while !choices.is_over() && text.len() < LONGEST {
        let piece = choices.pick(PIECES);
        // Runs are counted by another algorithm than short pieces.
        let count = match choices.byte() {
            byte @ 0xf0.. => usize::from(byte & 15) * 8,
            _ => 1,
        };
        text += &piece.repeat(count);
    }
    counted(&text, bytes);
}

fn counted(text: &str, bytes: &[u8]) {
    let words = WHITE_SPACE.split(text).filter(|word| !word.is_empty());
    let words = words.count();
    assert_eq!(count_words(text), words, "{text:?}");
    let o200k = O200K.encode_ordinary(text).len();
    let cl100k = CL100K.encode_ordinary(text).len();
    let claude = (o200k * 7).div_ceil(4).max(text.len().div_ceil(3));
    assert_eq!(estimate(text), text.len().div_ceil(3));
    let weighed = Counter::WeighedWords.count(text);
    assert!(weighed >= words, "{text:?}");
    let counts = [
        (Counter::Words, words),
        (Counter::O200k, o200k),
        (Counter::Cl100k, cl100k),
        (Counter::Claude, claude),
        (Counter::WeighedWords, weighed),
    ];
    for (counter, count) in counts {
        assert_eq!(counter.count(text), count, "{counter} of {text:?}");
        assert!(counter.fits(text, count), "{counter} of {text:?}");
        let fits_less = count > 0 && counter.fits(text, count - 1);
        assert!(!fits_less, "{counter} of {text:?}");
    }
    // Cutting counts many times, so each text is cut once.
    let mut choices = Choices::new(bytes);
    let (counter, count) = counts[choices.below(counts.len())];
    let most = choices.below(count + 2);
    limited(text, count, Limit { most, counter });
}

/// A text fits if its count does, and what is cut to a limit is a beginning that fits.
fn limited(text: &str, count: usize, limit: Limit) {
    let Limit { most, counter } = limit;
    let fits = count <= most;
    assert_eq!(counter.fits(text, most), fits, "{counter} {most} {text:?}");
    assert_eq!(limit.check(text).is_ok(), fits);
    let verdict = validate(text, limit);
    assert_eq!((verdict.token_count, verdict.valid), (count, fits));
    let fitted = fit(text, limit);
    assert!(text.starts_with(&fitted.text), "{fitted:?}");
    assert_eq!(fitted.tokens, counter.count(&fitted.text));
    assert!(fitted.tokens <= most, "{counter} {most} {fitted:?}");
    match fitted.cut {
        None => assert!(fits && fitted.text == text),
        Some(cut) => {
            assert!(!fits);
            assert_eq!(cut.text, text[fitted.text.len()..].trim());
        }
    }
}
