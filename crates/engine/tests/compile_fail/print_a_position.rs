//! A whole position, a sketch of one and a record hold hidden cards and must not print themselves.

use handfoot_engine::{GameRecord, PositionText};
use handfoot_view::notation::Sketch;

fn main() {}

fn leak(position: &PositionText, record: &GameRecord, sketch: &Sketch) {
    println!("{position:?}");
    println!("{position}");
    println!("{record:?}");
    println!("{sketch:?}");
}
