//! A real game, as a server would send it to one seat.
//!
//! **Invariant:** only this file holds a game.

use std::sync::Arc;

use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_protocol::{Codec, encode_draft, v1};
use handfoot_rules::{Preset, Rules};
use handfoot_view::{Action, Menu, Seat, TableOptions, TableView, list};

/// A game and the seat that looks on.
pub(crate) struct Table {
    pub(crate) rules: Arc<Rules>,
    pub(crate) viewer: Seat,
    game: Game,
    events: Events,
    pub(crate) version: u64,
}

impl Table {
    /// A game whose first seat to act looks on.
    pub(crate) fn new(seed: u64) -> Table {
        let draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
        let rules = Arc::new(Rules::new(draft).unwrap().rules);
        let options = TableOptions::default();
        let mut events = Events::new();
        let seed = Seed::chosen(seed);
        let game = Game::new(Arc::clone(&rules), options, "client", seed, None, &mut events);
        events.clear();
        let viewer = game.public().to_act().unwrap();
        Table { rules, viewer, game, events, version: 1 }
    }

    pub(crate) fn stamp(&self) -> v1::Stamp {
        chained(self.version)
    }

    pub(crate) fn draft(&self) -> v1::RulesDraft {
        encode_draft(self.rules.draft())
    }

    pub(crate) fn truth(&self) -> TableView {
        self.game.table_view(Viewer::Seat(self.viewer))
    }

    pub(crate) fn view(&self) -> v1::View {
        v1::View {
            stamp: Some(self.stamp()),
            table_id: "T".to_owned(),
            ..Codec::new(&self.rules).encode_view(&self.truth())
        }
    }

    pub(crate) fn legal(&self) -> v1::LegalActions {
        let view = self.truth();
        let view = view.lend(&self.rules).unwrap();
        let mut listed = Vec::new();
        list(view, &mut listed);
        Codec::new(&self.rules).encode_legal(self.version, &Menu::of(view), &listed)
    }

    /// The first action that the seat to act may do.
    pub(crate) fn first_action(&self) -> Action {
        let seat = self.game.public().to_act().unwrap();
        let view = self.game.table_view(Viewer::Seat(seat));
        let mut listed = Vec::new();
        list(view.lend(&self.rules).unwrap(), &mut listed);
        listed.into_iter().next().unwrap()
    }

    /// Plays the first listed action of whose turn it is, or deals.
    pub(crate) fn advance(&mut self) -> v1::Commit {
        match self.game.public().to_act() {
            Some(seat) => {
                let action = self.first_action();
                self.game.play(seat, &action, &mut self.events).unwrap();
            }
            None => self.game.deal_next(&[], &mut self.events).unwrap(),
        }
        self.version += 1;
        let codec = Codec::new(&self.rules);
        let seen = self.events.seen_by(Viewer::Seat(self.viewer));
        let events = seen.map(|event| codec.encode_event(event.event())).collect();
        self.events.clear();
        v1::Commit { stamp: Some(self.stamp()), events, ..v1::Commit::default() }
    }

    pub(crate) fn snapshot(&self, cause: v1::SnapshotCause) -> v1::WatchTableResponse {
        item(v1::watch_table_response::Item::Snapshot(Box::new(v1::Snapshot {
            cause: cause as i32,
            view: Some(self.view()),
            presence: None,
            rules: Some(self.draft()),
        })))
    }
}

/// The stamp of a version, with a chain value that tells it from others.
pub(crate) fn chained(version: u64) -> v1::Stamp {
    let mut chain = vec![7; 16];
    chain[..8].copy_from_slice(&version.to_be_bytes());
    v1::Stamp { version, game_version: version, chain }
}

pub(crate) fn item(item: v1::watch_table_response::Item) -> v1::WatchTableResponse {
    v1::WatchTableResponse { item: Some(item) }
}

pub(crate) fn commit(commit: v1::Commit) -> v1::WatchTableResponse {
    item(v1::watch_table_response::Item::Commit(commit))
}
