//! The log of a table, read again for whoever was not there.
//!
//! **Invariant:** entries are decoded here and leave by viewer only.

use handfoot_protocol::v1;
use handfoot_store::{History, Version};

use super::Tables;
use super::page::{Page, PageToken};
use crate::caller::SeatCaller;
use crate::error::{Answer, ApiError};
use crate::table::{Step, Table};

/// A part of a log.
pub(crate) enum Part {
    /// Steps without a gap; none if there is nothing newer.
    Steps(Vec<Step>),
    /// The log begins later.
    Gone { oldest: Version },
}

impl Tables {
    /// Steps from a version on.
    pub(crate) async fn steps(&self, table: &Table, from: Version, limit: usize) -> Answer<Part> {
        match self.store().history(&table.fixed.id, from, limit).await? {
            History::Entries(entries) => {
                let decode = |entry| Step::of_entry(&table.fixed, entry).map_err(ApiError::from);
                entries.iter().map(decode).collect::<Answer<_>>().map(Part::Steps)
            }
            History::Gone { oldest } => Ok(Part::Gone { oldest }),
            History::NotFound => Err(self.forget(&table.fixed.id)),
        }
    }

    /// One step, if the log still has it.
    pub(super) async fn logged(&self, table: &Table, version: Version) -> Answer<Option<Step>> {
        match self.steps(table, version, 1).await? {
            Part::Steps(steps) => Ok(steps.into_iter().find(|step| step.mark.version == version)),
            Part::Gone { .. } => Ok(None),
        }
    }

    /// Commits after a version, as the caller may know them.
    pub(crate) async fn list_commits(
        &self,
        caller: &SeatCaller,
        request: &v1::ListCommitsRequest,
    ) -> Answer<v1::ListCommitsResponse> {
        let page = Page::of(request.page_size, &request.page_token)?;
        let reading = self.read(caller).await?;
        let table = &reading.table;
        let mut after = request.after_version;
        match page.token {
            PageToken::Start => {}
            PageToken::Commits { asked, after: next } if asked == request.after_version => {
                after = next;
            }
            PageToken::Commits { .. } | PageToken::Tables { .. } | PageToken::Presets { .. } => {
                return Err(ApiError::PageTokenInvalid);
            }
        }
        let from = match after {
            0 => self.oldest(table).await?,
            _ => Version(after).next(),
        };
        let steps = match self.steps(table, from, page.size).await? {
            Part::Steps(steps) => steps,
            Part::Gone { oldest } => return Err(ApiError::HistoryGone { oldest }),
        };
        let last = steps.last().map_or(after, |step| step.mark.version.0);
        let is_more = last < table.mark.version.0 && !steps.is_empty();
        let token = PageToken::Commits { asked: request.after_version, after: last };
        Ok(v1::ListCommitsResponse {
            commits: steps.iter().map(|s| s.seen_by(&table.fixed, reading.viewer)).collect(),
            next_page_token: if is_more { token.to_string() } else { String::new() },
        })
    }

    /// The first version that the log has.
    async fn oldest(&self, table: &Table) -> Answer<Version> {
        match self.store().history(&table.fixed.id, Version(1), 1).await? {
            History::Entries(_) => Ok(Version(1)),
            History::Gone { oldest } => Ok(oldest),
            History::NotFound => Err(self.forget(&table.fixed.id)),
        }
    }
}
