//! What is listed, sampled and offered, against everything that can be tried in small positions.
//!
//! **Invariant:** [`judge`] is taken as the truth; it is tested elsewhere.

use handfoot_cards::{Card, Kind};
use handfoot_rules::Rules;
use handfoot_view::notation::{write_action, write_view};
use handfoot_view::{
    Action, Drew, Lay, Menu, OpeningReach, Phase, TableView, TakeOffer, Target, ViewRef,
    is_elementary, judge, list, openings, sample, takes, way_out,
};

use crate::every::Found;
use crate::positions::{chance, further_rule_sets, position, rule_sets};
use crate::tables::Table;

/// Positions that are looked at.
const POSITIONS: u64 = 4000;

/// Samples drawn in each.
const SAMPLES: usize = 30;

/// How often each sort of thing was found.
#[derive(Debug, Default)]
struct Tally {
    judged: usize,
    listed: usize,
    openings: usize,
    takes: usize,
    ways_out: usize,
}

/// An action with its cards reduced to kinds, in no order.
#[derive(PartialEq, Eq)]
enum ByKinds {
    Lay(Vec<(Target, Vec<Kind>)>),
    Take(Vec<(Target, Vec<Kind>)>),
    Discard(Kind),
    Other,
}

fn by_kinds(action: &Action) -> ByKinds {
    let kinds = |cards: &[Card]| {
        let mut kinds: Vec<Kind> = cards.iter().map(|card| card.kind()).collect();
        kinds.sort_unstable();
        kinds
    };
    let of_lay = |lay: &Lay| {
        let mut parts: Vec<_> =
            lay.placements().map(|part| (part.target, kinds(part.cards))).collect();
        parts.sort();
        parts
    };
    match action {
        Action::Lay(lay) => ByKinds::Lay(of_lay(lay)),
        Action::TakeDiscards(lay) => ByKinds::Take(of_lay(lay)),
        Action::Discard(card) => ByKinds::Discard(card.kind()),
        Action::Draw
        | Action::AskToGoOut(_)
        | Action::AnswerGoOut(_)
        | Action::AnswerUndo(_)
        | Action::UndoLays(_) => ByKinds::Other,
    }
}

/// Everything that is wrong with what a position is said to allow.
fn problems(table: &Table, found: &Found, tally: &mut Tally) -> Vec<String> {
    let view = table.view();
    let text = |action: &Action| write_action(action, table.rules.pack());
    let mut problems = Vec::new();
    let mut listed = Vec::new();
    list(view, &mut listed);
    let menu = Menu::of(view);
    for action in &listed {
        if let Err(refusal) = judge(view, action) {
            problems.push(format!("listed but refused, {}: {}", refusal.reason(), text(action)));
        }
        if !menu.admits(view, action) {
            problems.push(format!("listed but not admitted: {}", text(action)));
        }
    }
    let lays = found.lays.iter().cloned().map(|lay| match view.table.phase {
        Phase::Draw { .. } => Action::TakeDiscards(lay),
        Phase::Play { .. }
        | Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => Action::Lay(lay),
    });
    let accepted: Vec<Action> =
        lays.chain(found.discards.iter().copied().map(Action::Discard)).collect();
    let known: Vec<_> = listed.iter().map(by_kinds).collect();
    for action in &accepted {
        if is_elementary(view, action) && !known.contains(&by_kinds(action)) {
            problems.push(format!("elementary but not listed: {}", text(action)));
        }
        if !menu.admits(view, action) {
            problems.push(format!("accepted but not admitted: {}", text(action)));
        }
    }
    tally.listed += listed.len();
    tally.judged += found.n_judged;
    problems.extend(existence(view, found, &listed, &menu, tally));
    problems.extend(samples(view, &listed, &text));
    problems
}

/// An opening, a take and a way out are listed, and offered, exactly if there is one.
fn existence(
    view: ViewRef<'_>,
    found: &Found,
    listed: &[Action],
    menu: &Menu,
    tally: &mut Tally,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut same = |what: &str, is_said: bool, tried: Option<String>| {
        if is_said != tried.is_some() {
            problems.push(format!("{what}: said {is_said}, tried {tried:?}"));
        }
    };
    let pack = view.rules.pack();
    let example = |action: Option<Action>| action.map(|action| write_action(&action, pack));
    let opened = view.table.teams[view.team().index()].has_opened();
    match view.table.phase {
        Phase::Draw { .. } => {
            let tried = || example(found.lays.first().cloned().map(Action::TakeDiscards));
            tally.takes += usize::from(tried().is_some());
            let is_take = |action: &Action| matches!(action, Action::TakeDiscards(_));
            same("takes listed", listed.iter().any(is_take), tried());
            same("takes", !takes(view).is_empty(), tried());
            same("take offered", matches!(menu.take, Some(TakeOffer::Open { .. })), tried());
        }
        Phase::Play { .. } if !opened => {
            let tried = || example(found.lays.first().cloned().map(Action::Lay));
            tally.openings += usize::from(tried().is_some());
            let is_lay = |action: &Action| matches!(action, Action::Lay(_));
            same("openings listed", listed.iter().any(is_lay), tried());
            same("openings", !openings(view).is_empty(), tried());
        }
        Phase::Play { .. }
        | Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => {}
    }
    let tried = || example(found.ways_out.first().cloned());
    tally.ways_out += usize::from(tried().is_some());
    same("way out", way_out(view).is_some(), tried());
    same("way out offered", menu.going_out.way_out.is_some(), tried());
    if let Some(action) = way_out(view)
        && !listed.contains(&action)
    {
        problems.push("the way out is not listed".to_owned());
    }
    problems
}

fn samples(view: ViewRef<'_>, listed: &[Action], text: &dyn Fn(&Action) -> String) -> Vec<String> {
    let mut problems = Vec::new();
    let mut rng = chance(u64::try_from(listed.len()).unwrap());
    for _ in 0..SAMPLES {
        match sample(view, &mut rng) {
            Some(action) => match judge(view, &action) {
                Ok(()) => {}
                Err(refusal) => {
                    let reason = refusal.reason();
                    problems.push(format!("sampled but refused, {reason}: {}", text(&action)));
                }
            },
            None if listed.is_empty() => {}
            None => problems.push("no sample, though something is listed".to_owned()),
        }
    }
    problems.sort();
    problems.dedup();
    problems
}

/// Whether the own cards, and the upcard before the draw step, open: as the menu says.
fn reach(table: &Table, found: &Found) -> Option<String> {
    let view = table.view();
    let offer = Menu::of(view).opening?;
    let reaches = match view.table.phase {
        Phase::Draw { .. } => {
            let mut later = table.clone().play(Drew::Stock);
            // Drawing brings more than must be kept in the foot.
            later.public.seats[view.seat.index()].packet = 0;
            !found.lays.is_empty() || !Found::of(later.view()).lays.is_empty()
        }
        Phase::Play { .. } => !found.lays.is_empty(),
        Phase::AwaitAnswer { .. }
        | Phase::AwaitUndo { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => {
            return None;
        }
    };
    ((offer.reach == OpeningReach::Enough) != reaches)
        .then(|| format!("opening reach: said {:?}, tried {reaches}", offer.reach))
}

fn describe(table: &Table) -> String {
    let view = TableView {
        seat: Some(table.viewer),
        own: table.own.clone(),
        table: table.public.clone(),
        history: Vec::new(),
    };
    let draft = table.rules.draft();
    let numbers = (draft.book_size, &draft.opening.steps, &draft.need, &draft.take);
    let words = (draft.permission, draft.partner, draft.wild_meld, draft.last_discard);
    let melds = (draft.extend, draft.per_rank, draft.wild_limit, &draft.special);
    let threes = (draft.black_three, draft.red_three.mode, draft.wild_discard, &draft.opening);
    format!("{numbers:?} {words:?}\n{melds:?}\n{threes:?}\n{}", write_view(&view, &table.rules))
}

/// What was found wrong in so many positions of some rule sets, and how much was tried.
fn try_all(sets: &[Rules], positions: u64) -> (Vec<String>, Tally) {
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    for number in 0..positions {
        let set = usize::try_from(number).unwrap() % sets.len();
        let table = position(&sets[set], number);
        let found = Found::of(table.view());
        let mut problems = problems(&table, &found, &mut tally);
        problems.extend(reach(&table, &found));
        if !problems.is_empty() {
            let problems = problems.join("\n");
            failed.push(format!("position {number}: {problems}\n{}", describe(&table)));
        }
    }
    (failed, tally)
}

#[track_caller]
fn assert_nothing_wrong((failed, tally): (Vec<String>, Tally)) {
    let first = &failed[..failed.len().min(5)];
    assert!(failed.is_empty(), "{} positions, {tally:?}\n{}", failed.len(), first.join("\n"));
    assert!(tally.openings > 100 && tally.takes > 100 && tally.ways_out > 100, "{tally:?}");
}

/// An opening, a take and a way out are listed exactly when one exists, and every elementary
/// action is. Rule: HF-5.5, HF-6.1, HF-8.1, HF-8.5, HF-8.6, HF-8.9
#[test]
fn lists_menus_and_samples_agree_with_everything_tried() {
    assert_nothing_wrong(try_all(&rule_sets(), POSITIONS));
}

/// So it is where books grow, threes are laid, and takes, openings and ends are others.
/// Rule: HF-2.7, HF-3.8, HF-4.12, HF-4.13, HF-5.7, HF-5.8, HF-6.6, HF-6.4, HF-8.13, HF-8.14
#[test]
fn further_choices_are_listed_as_they_are_judged() {
    assert_nothing_wrong(try_all(&further_rule_sets(), POSITIONS));
}
