//! Programs that must not compile: each is a way to a hidden card, or to a view that is not true.
//!
//! **Invariant:** the words of the compiler are pinned with the toolchain; after a change of it,
//! run the test with `TRYBUILD=overwrite` and read every difference.

/// Each program is refused for the reason that stands beside it.
#[test]
fn hidden_cards_cannot_be_reached() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
