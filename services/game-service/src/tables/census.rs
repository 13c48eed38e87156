//! How many tables there are, by walking the lists of the store now and then.
//!
//! **Invariant:** the store keeps no such numbers, and no replica sees all that changes them. So
//! each replica counts for itself, and all come to the same. Nothing is counted unless metrics are
//! read, and a page at a time, so that calls do not wait for it.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use handfoot_store::{ListCursor, ListFilter, ListedTable, StoreError, Tenants};
use tokio::time::{Instant, sleep};

use super::Tables;
use crate::limits::{CENSUS_EVERY, CENSUS_PAGE, CENSUS_REST};
use crate::table::{LISTED_STATES, RULES_REVISION};

/// What stands for a revision that this program does not play.
const NEWER: &str = "newer";

type Counts = BTreeMap<(&'static str, String), i64>;

impl Tables {
    /// Counts tables until a drain.
    pub(crate) async fn take_census(self) {
        let drained = self.drain().started();
        let counting = async {
            loop {
                let began = Instant::now();
                // A store that is away is counted later; until then the last numbers stand.
                if let Ok(counts) = self.census().await {
                    let counts = counts.into_iter();
                    let counts: Vec<_> =
                        counts.map(|((state, revision), count)| (state, revision, count)).collect();
                    self.metrics().tables(&counts);
                }
                sleep(pause_after(began.elapsed())).await;
            }
        };
        tokio::select! {
            () = counting => {}
            () = drained => {}
        }
    }

    async fn census(&self) -> Result<Counts, StoreError> {
        let mut counts = none();
        let mut after: Option<ListCursor> = None;
        loop {
            let filter = ListFilter { tenants: Tenants::All, state: None };
            let page = self.store().list(filter, after, CENSUS_PAGE).await?;
            for table in &page.tables {
                if let Some(key) = key_of(table) {
                    *counts.entry(key).or_default() += 1;
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(counts);
            }
            tokio::task::yield_now().await;
        }
    }
}

/// How long to wait after a count that took so long.
fn pause_after(took: Duration) -> Duration {
    CENSUS_EVERY.max(took.saturating_mul(CENSUS_REST))
}

/// Every number that there may be, so that one falls to nothing when its last table is gone.
fn none() -> Counts {
    let known = (1..=RULES_REVISION).map(|revision| revision.to_string());
    let revisions: Vec<String> = known.chain([NEWER.to_owned()]).collect();
    let states = LISTED_STATES.iter().map(|(_, name)| *name);
    let pairs = states.flat_map(|state| revisions.iter().map(move |r| ((state, r.clone()), 0)));
    pairs.collect()
}

fn key_of(table: &ListedTable) -> Option<(&'static str, String)> {
    let (_, state) = LISTED_STATES.iter().find(|(state, _)| *state == table.state)?;
    Some((state, revision_of(&table.summary)))
}

/// The revision of rules that a list shows of a table. Before lists showed it there was one.
fn revision_of(summary: &Bytes) -> String {
    let text = std::str::from_utf8(summary).unwrap_or_default();
    let revision = if text.is_empty() { Some(1) } else { text.parse::<u32>().ok() };
    match revision.filter(|revision| (1..=RULES_REVISION).contains(revision)) {
        Some(revision) => revision.to_string(),
        None => NEWER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::summary;

    #[test]
    fn a_list_shows_the_revision_of_a_table() {
        assert_eq!(revision_of(&summary()), RULES_REVISION.to_string());
        assert_eq!(revision_of(&Bytes::new()), "1");
        for newer in ["999", "0", "x", "-1"] {
            assert_eq!(revision_of(&Bytes::from_static(newer.as_bytes())), NEWER);
        }
    }

    #[test]
    fn what_takes_long_is_done_more_seldom() {
        assert_eq!(pause_after(Duration::from_millis(250)), CENSUS_EVERY);
        assert_eq!(pause_after(Duration::from_secs(2)), Duration::from_secs(400));
    }

    #[test]
    fn every_number_is_there_from_the_beginning() {
        let counts = none();
        assert_eq!(counts.len(), LISTED_STATES.len() * 2);
        assert!(counts.values().all(|count| *count == 0));
    }
}
