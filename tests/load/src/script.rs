//! Games played in advance: every action of a whole game, and how large the messages about it are.
//!
//! The same seed gives the same deals on the service, so that a table can be played there without
//! looking at an answer: the client does nothing but gRPC.
//!
//! **Invariant:** sizes come from the messages that the service sends, encoded here; nothing is
//! estimated.

use std::sync::Arc;

use handfoot_bots::{BotSeed, Casual, Policy};
use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_protocol::{Codec, decode_choice, v1};
use handfoot_rules::Rules;
use handfoot_view::{Action, Menu, Seat, TableOptions, list};
use prost::Message;

use crate::trouble::Trouble;

/// Commits of a table before its first action: a seat each, and the start.
const COMMITS_BEFORE: u64 = 5;

/// Seats of every table here.
pub(crate) const SEATS: usize = 4;

/// One action of a game.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    /// Whose it is, from 0.
    pub(crate) seat_index: usize,
    /// The action as it is sent.
    pub(crate) action: v1::Action,
    /// Bytes of the request.
    pub(crate) request_bytes: usize,
    /// Bytes of the answer.
    pub(crate) answer_bytes: usize,
    /// Bytes of the item that a watcher gets, by seat.
    pub(crate) item_bytes: [usize; SEATS],
}

/// A whole game.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The seed that the table is created with.
    pub(crate) seed: u64,
    /// Its actions, in order.
    pub(crate) acts: Vec<Act>,
}

impl Script {
    /// Plays a game between casual bots, under the default rules.
    ///
    /// # Errors
    ///
    /// `Wrong` if the bots cannot play it, which is a fault.
    pub(crate) fn play(seed: u64) -> Result<Script, Trouble> {
        let wrong = |what: String| Trouble::wrong(format!("game {seed}: {what}"));
        let draft = decode_choice(None).map_err(|error| wrong(format!("{error:?}")))?;
        let rules = Rules::new(draft).map_err(|problems| wrong(format!("{problems:?}")))?.rules;
        if rules.seats() != SEATS {
            return Err(wrong(format!("the usual table has {} seats", rules.seats())));
        }
        let options = TableOptions::default();
        let mut events = Events::new();
        let (rules, secret) = (Arc::new(rules), Seed::chosen(seed));
        let mut game = Game::new(Arc::clone(&rules), options, "load", secret, None, &mut events);
        let bot_seed = BotSeed::chosen(seed);
        let mut acts = Vec::new();
        while let Some(seat) = game.public().to_act() {
            let view = game.view(seat).as_ref();
            let action = Casual.choose(view, &mut bot_seed.chance(view));
            let action = action.ok_or_else(|| wrong(format!("seat {seat} has no action")))?;
            events.clear();
            let played = game.play(seat, &action, &mut events);
            played.map_err(|rejection| wrong(rejection.to_string()))?;
            if game.public().to_act().is_none() {
                // An error says that the game is over, and the loop ends.
                let _ = game.deal_next(&[], &mut events);
            }
            let version = COMMITS_BEFORE + acts.len() as u64;
            acts.push(Act::measured(&game, &events, version, seat, &action));
        }
        Ok(Script { seed, acts })
    }

    /// The same game, broken off after so many actions.
    pub(crate) fn cut(&self, acts: usize) -> Script {
        Script { seed: self.seed, acts: self.acts[..acts.min(self.acts.len())].to_vec() }
    }

    /// The version of a table at which its first action is played.
    pub(crate) const fn first_version() -> u64 {
        COMMITS_BEFORE
    }
}

impl Act {
    fn measured(game: &Game, events: &Events, before: u64, seat: Seat, action: &Action) -> Act {
        let codec = Codec::new(game.rules());
        let action = codec.encode_action(action);
        let request = request_of(String::from(REQUEST_ID), before, action.clone());
        let commit = |viewer| commit_of(&codec, events, before + 1, seat, viewer);
        let view = game.view(seat);
        let mut legal = Vec::new();
        list(view.as_ref(), &mut legal);
        let menu = Menu::of(view.as_ref());
        let answer = v1::SubmitActionsResponse {
            commit: Some(commit(Viewer::Seat(seat))),
            replayed: false,
            legal: Some(codec.encode_legal(before + 1, &menu, &legal)),
        };
        let item = |seat| v1::WatchTableResponse {
            item: Some(v1::watch_table_response::Item::Commit(commit(Viewer::Seat(seat)))),
        };
        let mut item_bytes = [0; SEATS];
        for (bytes, seat) in item_bytes.iter_mut().zip(Seat::all(SEATS)) {
            *bytes = item(seat).encoded_len();
        }
        Act {
            seat_index: seat.index(),
            action,
            request_bytes: request.encoded_len(),
            answer_bytes: answer.encoded_len(),
            item_bytes,
        }
    }
}

/// An id as long as every other.
const REQUEST_ID: &str = "00000000-0000-4000-8000-000000000000";

/// The request that plays an action.
pub(crate) fn request_of(
    request_id: String,
    expected_version: u64,
    action: v1::Action,
) -> v1::SubmitActionsRequest {
    let actions = vec![action];
    v1::SubmitActionsRequest { request_id, expected_version, actions, validate_only: false }
}

/// The commit as the service shows it, with times and chains as long as its own.
fn commit_of(
    codec: &Codec<'_>,
    events: &Events,
    version: u64,
    seat: Seat,
    viewer: Viewer,
) -> v1::Commit {
    let events = events.seen_by(viewer);
    v1::Commit {
        stamp: Some(v1::Stamp { version, game_version: version, chain: vec![0xFF; 16] }),
        commit_time: Some(prost_types::Timestamp { seconds: 1_800_000_000, nanos: 500_000_000 }),
        cause: v1::CommitCause::Actions as i32,
        seat: u32::try_from(seat.number()).unwrap_or(u32::MAX),
        controller: v1::Controller::Person as i32,
        events: events.map(|event| codec.encode_event(event.event())).collect(),
        players: Vec::new(),
        table_state: v1::TableState::Playing as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_game() {
        let (one, two) = (Script::play(7).unwrap(), Script::play(7).unwrap());
        assert!(one.acts.len() > 100, "{}", one.acts.len());
        let of = |script: &Script| -> Vec<(usize, v1::Action)> {
            script.acts.iter().map(|act| (act.seat_index, act.action.clone())).collect()
        };
        assert_eq!(of(&one), of(&two));
        assert_ne!(of(&one), of(&Script::play(8).unwrap()));
    }
}
