//! Checks of the table and the deal: D.1 #1 to #7.
//!
//! **Invariant:** reads the draft, changes nothing, stops at nothing.

use handfoot_cards::PACK_CARDS_MAX;

use super::supply::Supply;
use super::{Problems, entries};
use crate::limits::{
    BURY_MAX, DECKS_EXTRA, DECKS_FIXED, DRAW, JOKERS, PACKET_CARDS_MAX, PACKETS_MAX, PLAYERS,
    POINTS, ROUND_LIST_MAX, TEAM_SIZE,
};
use crate::{
    Decks, ExactPickModel, FootTrigger, PackChoice, Place, Problem, RulesDraft, UpcardDeal,
};

pub(super) fn check(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    teams(draft, problems);
    match draft.decks {
        Decks::PerPlayer(extra) => problems.range("decks.per_player", extra, &DECKS_EXTRA),
        Decks::Fixed(decks) => problems.range("decks.fixed", decks, &DECKS_FIXED),
    }
    problems.range("jokers_per_deck", draft.jokers_per_deck, &JOKERS);
    if supply.cards() > i64::try_from(PACK_CARDS_MAX).unwrap_or(i64::MAX) {
        let too_large = Problem::PackTooLarge { cards: supply.cards(), most: PACK_CARDS_MAX };
        let field = match draft.pack {
            PackChoice::Standard => "decks",
            PackChoice::Kinds(_) => "pack",
        };
        problems.add(field, too_large);
    }
    packets(draft, problems);
    deal(draft, supply, problems);
    problems.length("upcard.bury", draft.upcard.bury.len(), BURY_MAX);
    exact_pick(draft, problems);
}

/// D.2 #1.
fn teams(draft: &RulesDraft, problems: &mut Problems) {
    let RulesDraft { players, team_size, .. } = *draft;
    problems.range("players", players, &PLAYERS);
    problems.range("team_size", team_size, &TEAM_SIZE);
    if let (Some(teams), Some(rest)) =
        (players.checked_div(team_size), players.checked_rem(team_size))
    {
        if rest != 0 {
            problems.add("team_size", Problem::TeamSizeDoesNotDivide { players, team_size });
        } else if teams < 2 {
            problems.add("team_size", Problem::TooFewTeams { teams, team_size });
        }
    }
}

/// D.2 #14.
fn packets(draft: &RulesDraft, problems: &mut Problems) {
    problems.rounds("packets", &draft.packets);
    for (round, sizes) in entries(&draft.packets) {
        let at = Place::entry("packets[]", round);
        if sizes.is_empty() {
            problems.add_at(at, Problem::PacketsEmpty);
        }
        if sizes.len() > PACKETS_MAX {
            let most = PACKETS_MAX;
            problems.add_at(at, Problem::ListTooLong { actual: sizes.len(), most });
        }
        for cards in sizes.iter().copied().take(PACKETS_MAX) {
            if cards == 0 {
                problems.add_at(at, Problem::PacketTooSmall { cards });
            } else {
                problems.range_at(at, cards, &(1..=PACKET_CARDS_MAX));
            }
        }
        if draft.foot.trigger == FootTrigger::FirstBook && sizes.len() > 2 {
            let packets = sizes.len();
            problems.add_at(at, Problem::FirstBookWithPackets { packets });
        }
    }
}

/// D.2 #2. Every round by itself, since packets and draws may differ by round.
fn deal(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    problems.rounds("draw", &draft.draw);
    for (round, draw) in entries(&draft.draw) {
        problems.range_at(Place::entry("draw[]", round), *draw, &DRAW);
    }
    let cards = supply.cards();
    for deal in deals(draft) {
        let needed = deal.dealt + i64::from(draft.players) * deal.draw;
        if needed > cards {
            let at = Place::entry("packets[]", deal.round);
            problems.add_at(at, Problem::DealTooLarge { needed, cards });
        }
    }
}

/// D.2 #13.
fn exact_pick(draft: &RulesDraft, problems: &mut Problems) {
    let bonus = draft.exact_pick.bonus;
    problems.range("exact_pick.bonus", bonus, &(0..=*POINTS.end()));
    match draft.exact_pick.model {
        ExactPickModel::Off if bonus > 0 => {
            problems.add("exact_pick.bonus", Problem::ExactPickBonusWithoutModel { bonus });
        }
        ExactPickModel::Chance(chance) if !(chance > 0.0 && chance <= 1.0) => {
            problems.add("exact_pick.model", Problem::ExactPickChance { chance });
        }
        ExactPickModel::Off | ExactPickModel::Chance(_) | ExactPickModel::Entered => {}
    }
}

/// The cards that leave the stock before the first turn, and each draw after it.
#[derive(Debug)]
pub(super) struct Deal {
    /// The round, if its numbers differ from those of others.
    pub(super) round: Option<usize>,
    /// Cards dealt to all seats and turned.
    pub(super) dealt: i64,
    /// Cards of one draw.
    pub(super) draw: i64,
}

/// The deals of the rounds whose numbers are written.
pub(super) fn deals(draft: &RulesDraft) -> impl Iterator<Item = Deal> + '_ {
    let (packets, draws) = (draft.packets.values(), draft.draw.values());
    let rounds = packets.len().max(draws.len()).min(ROUND_LIST_MAX);
    (0..rounds).filter_map(move |round| {
        let sizes = packets.get(round).or(packets.last())?;
        let draw = draws.get(round).or(draws.last())?;
        let each: i64 = sizes.iter().map(|cards| i64::from(*cards)).sum();
        let upcard = match draft.upcard.deal {
            UpcardDeal::Turned => 1,
            UpcardDeal::None => 0,
        };
        Some(Deal {
            round: (rounds > 1).then_some(round),
            dealt: i64::from(draft.players) * each + upcard,
            draw: i64::from(*draw),
        })
    })
}
