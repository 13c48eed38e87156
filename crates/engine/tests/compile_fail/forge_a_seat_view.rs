//! A view is the engine's word; nobody else can give it.
use handfoot_engine::SeatView;
use handfoot_view::ViewRef;

fn forge(view: ViewRef<'_>) -> SeatView<'_> {
    SeatView { view, history: &[] }
}

fn main() {}
