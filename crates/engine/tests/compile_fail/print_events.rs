//! Events hold hidden cards and do not print themselves.
use handfoot_engine::Events;

fn print(events: &Events) -> String {
    format!("{events:?}")
}

fn main() {}
