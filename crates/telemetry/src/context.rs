//! Where a trace goes on in another process: the header `traceparent` of W3C Trace Context.
//!
//! **Invariant:** ids and one flag, nothing else. What a caller sends beside them (`tracestate`,
//! `baggage`) is free text and goes no further.

use std::fmt;
use std::str::FromStr;

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// A span of which others can be children, in this process or in another.
#[derive(Clone, PartialEq, Eq)]
pub struct TraceParent(SpanContext);

/// A text is not the header of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATraceParent;

impl TraceParent {
    /// The name of the header, and of the entry in the metadata of a call.
    pub const HEADER: &'static str = "traceparent";

    /// The span that is entered here; none if traces are off.
    #[must_use]
    pub fn current() -> Option<TraceParent> {
        Context::map_current(|context| {
            let span = context.span();
            let found = span.span_context();
            found.is_valid().then(|| TraceParent(found.clone()))
        })
    }

    /// The span of which a call says that it is part.
    #[must_use]
    pub fn of_headers(headers: &http::HeaderMap) -> Option<TraceParent> {
        headers.get(Self::HEADER)?.to_str().ok()?.parse().ok()
    }

    /// Whether the trace is sent to somebody.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.0.is_sampled()
    }

    /// The id of the trace, 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        self.0.trace_id().to_string()
    }

    /// The id of the span, 16 hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> String {
        self.0.span_id().to_string()
    }

    /// Makes a span part of this trace. It must not have been entered yet; without traces nothing
    /// happens.
    pub fn adopt(self, span: &Span) {
        // A span that nobody records has no parent either.
        let _ = span.set_parent(Context::new().with_remote_span_context(self.0));
    }

    /// Notes with a span that this one is why it is there, though it is in a trace of its own.
    pub fn link(self, span: &Span) {
        span.add_link(self.0);
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceParent(span) = self;
        let flags = span.trace_flags() & TraceFlags::SAMPLED;
        write!(f, "00-{}-{}-{flags:02x}", span.trace_id(), span.span_id())
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for TraceParent {
    type Err = NotATraceParent;

    /// Reads version 00, and of a later one what it must have in common with that.
    fn from_str(text: &str) -> Result<TraceParent, NotATraceParent> {
        let mut parts = text.split('-');
        let mut hex = |length: usize| {
            let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
            let part = parts.next().filter(|part| part.len() == length);
            part.filter(|part| part.bytes().all(is_digit)).ok_or(NotATraceParent)
        };
        let (version, trace, span, flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return Err(NotATraceParent);
        }
        let trace = TraceId::from_hex(trace).map_err(|_| NotATraceParent)?;
        let span = SpanId::from_hex(span).map_err(|_| NotATraceParent)?;
        let flags = u8::from_str_radix(flags, 16).map_err(|_| NotATraceParent)?;
        let flags = TraceFlags::new(flags) & TraceFlags::SAMPLED;
        let parent = SpanContext::new(trace, span, flags, true, TraceState::NONE);
        match parent.is_valid() {
            true => Ok(TraceParent(parent)),
            false => Err(NotATraceParent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written() {
        let parent: TraceParent = TEXT.parse().unwrap();
        assert_eq!(parent.to_string(), TEXT);
        assert_eq!(parent.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(parent.span_id(), "00f067aa0ba902b7");
        assert!(parent.is_sampled());
        let unsampled: TraceParent = TEXT.replace("-01", "-00").parse().unwrap();
        assert!(!unsampled.is_sampled());
        // Flags and fields of later versions are not ours.
        let later: TraceParent =
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-more".parse().unwrap();
        assert_eq!(later.to_string(), TEXT);
    }

    #[test]
    fn what_is_no_header_is_none() {
        let zeros = "0".repeat(32);
        let bad = [
            String::new(),
            "00".to_owned(),
            TEXT.to_uppercase(),
            TEXT.replace("00-", "ff-"),
            TEXT.replace("-01", ""),
            TEXT.replace("-01", "-01-more"),
            TEXT.replace("4736", "473"),
            TEXT.replace("4736", "473g"),
            TEXT.replace("4736", "+736"),
            TEXT.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zeros),
            TEXT.replace("00f067aa0ba902b7", &zeros[..16]),
        ];
        for bad in bad {
            assert_eq!(bad.parse::<TraceParent>(), Err(NotATraceParent), "{bad}");
        }
        let mut headers = http::HeaderMap::new();
        assert_eq!(TraceParent::of_headers(&headers), None);
        headers.insert(TraceParent::HEADER, TEXT.parse().unwrap());
        assert_eq!(TraceParent::of_headers(&headers).unwrap().to_string(), TEXT);
    }
}
