//! A table watched from outside, from its first event to its last.
//!
//! **Invariant:** every commit is told once and in order, whatever happens to the stream; only what
//! a spectator sees is known here.

use std::sync::Arc;

use handfoot_cards::Cards;
use handfoot_client::{PlayClient, TableWatch, Update};
use handfoot_protocol::{Codec, v1};
use handfoot_rules::Rules;
use handfoot_view::{Event, Phase, PublicTable, Seat, TableOptions, TableView};

use crate::calls::call_failed;
use crate::exit::{Exit, Stop, failed};
use crate::mirror::Mirror;
use crate::session::{Counts, Watcher};

/// Follows one table for a watcher.
pub(crate) struct Gallery<'a, W> {
    client: PlayClient,
    watch: TableWatch,
    rules: &'a Arc<Rules>,
    view: TableView,
    /// The version up to which everything was told.
    version: u64,
    counts: Counts,
    watcher: &'a mut W,
    mirror: Option<Mirror>,
}

impl<'a, W: Watcher> Gallery<'a, W> {
    /// Opens the stream and tells what there is. A table that has just started is told whole.
    pub(crate) async fn open(
        client: PlayClient,
        rules: &'a Arc<Rules>,
        options: TableOptions,
        watcher: &'a mut W,
        mirror: Option<Mirror>,
    ) -> Result<Gallery<'a, W>, Stop> {
        // The first event says who really deals.
        let dealer = Seat::all(rules.seats()).next();
        let dealer = dealer.ok_or_else(|| lost("a table without seats"))?;
        let view = TableView {
            seat: None,
            own: Cards::EMPTY,
            table: PublicTable::new(rules, options, dealer),
            history: Vec::new(),
        };
        let watch = client.watch();
        let mut gallery = Gallery {
            client,
            watch,
            rules,
            view,
            version: 0,
            counts: Counts::default(),
            watcher,
            mirror,
        };
        gallery.next().await?;
        Ok(gallery)
    }

    /// Tells what happens, to the end of the game.
    pub(crate) async fn follow(&mut self) -> Result<(), Stop> {
        while !self.is_over() {
            self.next().await?;
        }
        Ok(())
    }

    /// What is seen now, what was counted, and the game played again.
    pub(crate) fn finish(self) -> (TableView, Counts, Option<Mirror>) {
        (self.view, self.counts, self.mirror)
    }

    const fn is_over(&self) -> bool {
        matches!(self.view.table.phase, Phase::GameOver { .. })
    }

    async fn next(&mut self) -> Result<(), Stop> {
        let update = self.watch.next().await;
        match update.map_err(|error| call_failed("the table cannot be watched", &error))? {
            // Whatever the snapshot skipped is in the log.
            Update::Snapshot { .. } => self.catch_up().await,
            Update::Commit(step) => self.take(&step.commit),
            Update::Presence(_) | Update::Heartbeat => Ok(()),
            Update::Closed if self.is_over() => Ok(()),
            Update::Closed => Err(lost("its table was closed")),
        }
    }

    /// Tells what the log has after the version told last, up to the snapshot's.
    async fn catch_up(&mut self) -> Result<(), Stop> {
        let until = self.watch.known().map_or(0, |known| known.stamp.version);
        let after_version = self.version;
        let mut page_token = String::new();
        while self.version < until {
            let request = v1::ListCommitsRequest { after_version, page_size: 0, page_token };
            let page = self.client.commits(request).await;
            let page = page.map_err(|error| call_failed("the log cannot be read", &error))?;
            for commit in &page.commits {
                self.take(commit)?;
            }
            page_token = page.next_page_token;
            if page_token.is_empty() && self.version < until {
                return Err(lost("the log does not reach back far enough"));
            }
        }
        Ok(())
    }

    /// Tells a commit, unless it was told before.
    fn take(&mut self, commit: &v1::Commit) -> Result<(), Stop> {
        let version = commit.stamp.as_ref().map_or(0, |stamp| stamp.version);
        if version <= self.version {
            return Ok(());
        }
        if version != self.version + 1 {
            return Err(lost("a step is missing"));
        }
        let events = Codec::new(self.rules).decode_events(&commit.events);
        let events = events.map_err(|error| lost(&format!("a step cannot be read: {error}")))?;
        if let Some(mirror) = &mut self.mirror {
            mirror.follow(&events)?;
        }
        // A bot submits its actions one by one.
        if commit.cause() == v1::CommitCause::Actions {
            self.counts.actions += 1;
            self.counts.round_actions += 1;
        }
        for event in &events {
            let fits = self.view.fits(event, self.rules);
            fits.map_err(|unfit| lost(&format!("a step does not fit the table: {unfit}")))?;
            self.watcher.before(&self.view.table, event)?;
            self.view.apply(event, self.rules);
            self.watcher.after(&self.view.table, event, self.counts)?;
            if let Event::RoundEnded { .. } = event {
                self.counts.round_actions = 0;
            }
        }
        self.version = version;
        Ok(())
    }
}

fn lost(what: &str) -> Stop {
    failed(
        Exit::Internal,
        format!("the game cannot be followed: {what}"),
        "to report it, with the command line and the seed",
    )
}
