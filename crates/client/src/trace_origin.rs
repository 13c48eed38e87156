//! The trace in which a decision became due.
//!
//! **Invariant:** nothing of a decision depends on it: what cannot be read is not there.

use handfoot_protocol::v1;
use handfoot_telemetry::TraceParent;
use tracing::Span;

/// The commit that made a decision due, and what the work on it has to do with that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceOrigin {
    /// The work goes on with the commit's trace.
    Continue(TraceParent),
    /// The work has a trace of its own, with a link to the commit.
    Link(TraceParent),
}

impl TraceOrigin {
    pub(crate) fn decode(origin: &v1::TraceOrigin) -> Option<TraceOrigin> {
        let parent = origin.traceparent.parse().ok()?;
        match origin.relation() {
            v1::TraceRelation::Unspecified => None,
            v1::TraceRelation::Continue => Some(TraceOrigin::Continue(parent)),
            v1::TraceRelation::Link => Some(TraceOrigin::Link(parent)),
        }
    }

    /// Gives a span, which must not have been entered yet, its place: as a child or with a link.
    pub fn place(self, span: &Span) {
        match self {
            TraceOrigin::Continue(parent) => parent.adopt(span),
            TraceOrigin::Link(parent) => parent.link(span),
        }
    }
}
