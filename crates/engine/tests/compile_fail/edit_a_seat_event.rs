//! An event that was made for one viewer cannot be turned into another's.
use handfoot_engine::{SeatEvent, Viewer};

fn relabel(mut event: SeatEvent) -> SeatEvent {
    event.viewer = Viewer::Spectator;
    event
}

fn main() {}
