use super::checkpoint;

#[test]
fn a_listed_checkpoint_has_the_size_of_a_real_one() {
    let size = checkpoint("feature-00001", &"d36b6b4a".repeat(5)).len();
    assert!((1_300..2_000).contains(&size), "{size} bytes");
}
