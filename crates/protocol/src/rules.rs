//! Rule sets, presets and what is wrong or odd about a rule set.
//!
//! **Invariant:** nothing here decides what can be played; it asks `handfoot-rules`.

mod decode;
mod encode;
pub(crate) mod words;

use handfoot_rules::{
    Checked, Preset, Rules, RulesDraft, RulesProblem, RulesWarning, Seating, SeatingError,
    UnknownPreset,
};

pub use decode::decode_draft;
pub use encode::encode_draft;

use crate::codec::number;
use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;
use crate::view::count;

/// Why a choice of rules names no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A field cannot be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// There is no such preset.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// The preset is not for such a table.
    #[error(transparent)]
    Seating(#[from] SeatingError),
}

/// The rule set that a choice names: a preset with changes, or all of it. No choice is the default
/// preset. It is unchecked.
///
/// # Errors
///
/// [`ChoiceError`], with fields from the choice on.
pub fn decode_choice(choice: Option<&v1::RulesChoice>) -> Result<RulesDraft, ChoiceError> {
    let root = At::Root;
    let Some(choice) = choice else { return Ok(default_preset()?.draft(None, None)?) };
    let changes = choice.changes.clone().unwrap_or_default();
    if choice.preset_id.is_empty() {
        for (number, name) in [(choice.players, "players"), (choice.team_size, "team_size")] {
            if number != 0 {
                return Err(root.field(name).error(DecodeProblem::Misplaced).into());
            }
        }
        return match choice.changes {
            None => Ok(default_preset()?.draft(None, None)?),
            Some(_) => Ok(decode::read_draft(&changes, root.field("changes"))?),
        };
    }
    let seats = |number: u32, name| -> Result<Option<u8>, DecodeError> {
        let number = root.field(name).number(number, u8::MAX)?;
        Ok(Some(number).filter(|number| *number != 0))
    };
    let preset = Preset::find(&choice.preset_id)?;
    let (players, team_size) =
        (seats(choice.players, "players")?, seats(choice.team_size, "team_size")?);
    let base = encode_draft(&preset.draft(players, team_size)?);
    Ok(decode::read_draft(&replaced(base, changes), root.field("changes"))?)
}

fn default_preset() -> Result<&'static Preset, UnknownPreset> {
    match Preset::all().first() {
        Some(preset) => Ok(preset),
        None => Preset::find(""),
    }
}

/// The base with every field replaced that the changes set.
fn replaced(base: v1::RulesDraft, changes: v1::RulesDraft) -> v1::RulesDraft {
    v1::RulesDraft {
        players: changes.players.or(base.players),
        team_size: changes.team_size.or(base.team_size),
        decks: changes.decks.or(base.decks),
        jokers_per_deck: changes.jokers_per_deck.or(base.jokers_per_deck),
        packets: changes.packets.or(base.packets),
        upcard: changes.upcard.or(base.upcard),
        exact_pick: changes.exact_pick.or(base.exact_pick),
        card_value: changes.card_value.or(base.card_value),
        red_three: changes.red_three.or(base.red_three),
        black_three: changes.black_three.or(base.black_three),
        meld_min: changes.meld_min.or(base.meld_min),
        book_size: changes.book_size.or(base.book_size),
        extend: changes.extend.or(base.extend),
        wild_limit: changes.wild_limit.or(base.wild_limit),
        wild_meld: changes.wild_meld.or(base.wild_meld),
        per_rank: changes.per_rank.or(base.per_rank),
        special: changes.special.or(base.special),
        opening: changes.opening.or(base.opening),
        draw: changes.draw.or(base.draw),
        take: changes.take.or(base.take),
        wild_discard: changes.wild_discard.or(base.wild_discard),
        foot: changes.foot.or(base.foot),
        need: changes.need.or(base.need),
        partner: changes.partner.or(base.partner),
        permission: changes.permission.or(base.permission),
        last_discard: changes.last_discard.or(base.last_discard),
        stock_out: changes.stock_out.or(base.stock_out),
        out_bonus: changes.out_bonus.or(base.out_bonus),
        book_bonus: changes.book_bonus.or(base.book_bonus),
        unfinished_second: changes.unfinished_second.or(base.unfinished_second),
        length: changes.length.or(base.length),
        pack: changes.pack.or(base.pack),
    }
}

/// A preset as it is sent, without its parameters.
#[must_use]
pub fn encode_preset(preset: &Preset) -> v1::Preset {
    let notes = preset.notes.iter();
    let seating = |row: &Seating| v1::Seating {
        players: count(row.players),
        team_sizes: row.team_sizes.iter().map(|size| count(*size)).collect(),
    };
    v1::Preset {
        preset_id: preset.id.clone(),
        title: preset.title.clone(),
        source: preset.source.clone(),
        summary: preset.summary.clone(),
        notes: notes
            .map(|(field, note)| v1::PresetNote { field: field.clone(), note: note.clone() })
            .collect(),
        seating: preset.seating.iter().map(seating).collect(),
        rules: None,
    }
}

/// A problem as it is sent.
#[must_use]
pub fn encode_problem(problem: &RulesProblem) -> v1::RulesFinding {
    v1::RulesFinding {
        field: problem.at.to_string(),
        reason: problem.reason().to_owned(),
        message: problem.problem.to_string(),
    }
}

/// A warning as it is sent.
#[must_use]
pub fn encode_warning(warning: &RulesWarning) -> v1::RulesFinding {
    v1::RulesFinding {
        field: warning.at.to_string(),
        reason: warning.reason().to_owned(),
        message: warning.warning.to_string(),
    }
}

/// What there is to say about a rule set, as it is sent.
#[must_use]
pub fn check_rules(draft: RulesDraft) -> v1::CheckRulesResponse {
    let Checked { problems, warnings } = Rules::check(&draft);
    let rules = Rules::new(draft).ok().map(|validated| validated.rules);
    v1::CheckRulesResponse {
        problems: problems.iter().map(encode_problem).collect(),
        warnings: warnings.iter().map(encode_warning).collect(),
        summary: rules.as_ref().map(encode_summary),
        rules: rules.as_ref().map(|rules| encode_draft(rules.draft())),
    }
}

/// What a rule set means for the first deal.
#[must_use]
pub fn encode_summary(rules: &Rules) -> v1::RulesSummary {
    use handfoot_rules::{Decks, PackChoice, UpcardDeal};

    let draft = rules.draft();
    let decks = match (&draft.pack, draft.decks) {
        (PackChoice::Standard, Decks::PerPlayer(more)) => count(draft.players) + count(more),
        (PackChoice::Standard, Decks::Fixed(decks)) => count(decks),
        (PackChoice::Kinds(_), _) => 0,
    };
    let pack_cards = number(rules.pack().cards().len());
    let dealt_per_seat: u32 = rules.round(0).packets.iter().map(|size| count(*size)).sum();
    let turned = match draft.upcard.deal {
        UpcardDeal::Turned => 1,
        UpcardDeal::None => 0,
    };
    let dealt = dealt_per_seat * count(draft.players) + turned;
    let stock = pack_cards.saturating_sub(dealt);
    v1::RulesSummary {
        decks,
        pack_cards,
        dealt_per_seat,
        dealt,
        stock,
        stock_per_seat: stock / count(draft.players).max(1),
        teams: number(rules.teams()),
    }
}
