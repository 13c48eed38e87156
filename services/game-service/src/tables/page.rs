//! Pages of lists and the tokens that go on with them.
//!
//! **Invariant:** a token says where to go on and nothing that its reader may not know; one that
//! was not given by the same call is refused.

use std::fmt;

use handfoot_store::{ListCursor, Millis};

use crate::error::{Answer, ApiError, FieldProblem, field};
use crate::limits::{PAGE_SIZE_MAX, PAGE_SIZE_USUAL};

/// Which part of a list is asked for.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) size: usize,
    pub(crate) token: PageToken,
}

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageToken {
    /// At the start.
    Start,
    /// Commits: what the first call asked for, and the last version given.
    Commits { asked: u64, after: u64 },
    /// Tables: which states were asked for, as bits, and the last table looked at.
    Tables { states: u8, cursor: ListCursor },
    /// Presets: how many were given.
    Presets { given: usize },
}

impl Page {
    pub(crate) fn of(size: u32, token: &str) -> Answer<Page> {
        if size > PAGE_SIZE_MAX {
            let most = u64::from(PAGE_SIZE_MAX);
            return Err(field("page_size", FieldProblem::OutOfRange { least: 0, most }));
        }
        let size = if size == 0 { PAGE_SIZE_USUAL } else { size };
        let token = PageToken::read(token).ok_or(ApiError::PageTokenInvalid)?;
        Ok(Page { size: usize::try_from(size).unwrap_or(1), token })
    }
}

impl PageToken {
    fn read(text: &str) -> Option<PageToken> {
        if text.is_empty() {
            return Some(PageToken::Start);
        }
        let mut parts = text.split('.');
        let token = match parts.next()? {
            "c" => PageToken::Commits {
                asked: parts.next()?.parse().ok()?,
                after: parts.next()?.parse().ok()?,
            },
            "t" => PageToken::Tables {
                states: parts.next()?.parse().ok()?,
                cursor: ListCursor {
                    created_at: Millis(parts.next()?.parse().ok()?),
                    id: parts.next()?.parse().ok()?,
                },
            },
            "p" => PageToken::Presets { given: parts.next()?.parse().ok()? },
            _ => return None,
        };
        // Only what was written in this way: no leading zeros, nothing after it.
        (token.to_string() == text).then_some(token)
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageToken::Start => Ok(()),
            PageToken::Commits { asked, after } => write!(f, "c.{asked}.{after}"),
            PageToken::Tables { states, cursor } => {
                write!(f, "t.{states}.{}.{}", cursor.created_at.0, cursor.id)
            }
            PageToken::Presets { given } => write!(f, "p.{given}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_written_and_no_other() {
        let cursor = ListCursor { created_at: Millis(5), id: "a-1".parse().unwrap() };
        for token in [
            PageToken::Start,
            PageToken::Commits { asked: 3, after: 9 },
            PageToken::Tables { states: 3, cursor },
            PageToken::Presets { given: 2 },
        ] {
            assert_eq!(PageToken::read(&token.to_string()), Some(token));
        }
        for bad in ["x", "c", "c.1", "c.1.2.3", "c.01.2", "t.1.5", "t.999.5.a", "p.-1", "c.1.+2"] {
            assert_eq!(PageToken::read(bad), None, "{bad}");
        }
    }

    /// Parts of real tokens and of none, put together by a seeded generator: what is taken is
    /// written back as it came.
    #[test]
    fn no_text_is_taken_for_another_token() {
        const NAMES: [&str; 5] = ["c", "t", "p", "x", ""];
        const PARTS: [&str; 12] =
            ["0", "1", "9", "01", "255", "256", "-1", "+1", "a-1", "é", "\u{0}", ""];
        let mut state = 2026_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % end
        };
        let mut taken = 0;
        for _ in 0..20_000 {
            let mut text = NAMES[below(NAMES.len())].to_owned();
            for _ in 0..below(5) {
                text.push('.');
                text.push_str(PARTS[below(PARTS.len())]);
            }
            if let Some(token) = PageToken::read(&text) {
                taken += 1;
                assert_eq!(token.to_string(), text);
                assert_eq!(PageToken::read(&text), Some(token));
            }
        }
        assert!(taken > 20, "{taken}");
    }
}
