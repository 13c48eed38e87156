//! A stream of seat events takes labelled events only.
use handfoot_engine::SeatEvent;
use handfoot_view::Event;

fn send(stream: &mut Vec<SeatEvent>, event: Event) {
    stream.push(event);
}

fn main() {}
