//! Instructions that the engine spends on each thing it does, counted, not timed.
//!
//! `./tests/run bench` runs them. Every bench asserts its result; the same work runs small as a
//! test, so that it cannot rot.

#![expect(missing_docs, reason = "the macros make items that nobody reads")]

mod work;

use std::hint::black_box;
use std::sync::Arc;

use gungraun::{library_benchmark, library_benchmark_group, main};
use handfoot_rules::Rules;
use work::{Positions, positions, whitnack};

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn judge(positions: Positions) -> usize {
    asserted("judge", work::judge_samples(black_box(&positions), 16))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn sample(positions: Positions) -> usize {
    asserted("sample", work::samples(black_box(&positions), 16))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn menu(positions: Positions) -> usize {
    asserted("menu", work::menus(black_box(&positions)))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn list(positions: Positions) -> usize {
    asserted("list", work::lists(black_box(&positions)))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn view(positions: Positions) -> usize {
    asserted("view", work::views(black_box(&positions)))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn clone(positions: Positions) -> usize {
    asserted("clone", work::clones(black_box(&positions)))
}

#[library_benchmark]
#[bench::positions_64(positions(64))]
fn resample(positions: Positions) -> usize {
    asserted("resample", work::resamples(black_box(&positions)))
}

#[library_benchmark]
#[bench::games_4(whitnack())]
fn play(rules: Arc<Rules>) -> usize {
    asserted("play", work::games(black_box(&rules), 4))
}

/// The result, which must be the one that stands in the table.
fn asserted(name: &str, result: usize) -> usize {
    assert!(work::RESULTS.contains(&(name, result)), "{name} came to {result}");
    black_box(result)
}

library_benchmark_group!(
    name = engine,
    benchmarks = [judge, sample, menu, list, view, clone, resample, play]
);
main!(library_benchmark_groups = engine);
