//! The benches' work, run small: what it comes to is fixed, so that no bench measures nothing.
//!
//! **Invariant:** nothing here is timed.

use crate::work;

#[test]
fn each_piece_of_work_comes_out_as_it_did() {
    let positions = work::positions(64);
    let results = [
        ("judge", work::judge_samples(&positions, 16)),
        ("sample", work::samples(&positions, 16)),
        ("menu", work::menus(&positions)),
        ("list", work::lists(&positions)),
        ("view", work::views(&positions)),
        ("clone", work::clones(&positions)),
        ("resample", work::resamples(&positions)),
        ("play", work::games(&work::whitnack(), 4)),
    ];
    assert_eq!(results, work::RESULTS);
}
