//! What a seat may do, described by its parts: for every rank what could be laid, for every meld
//! what may join, and for what is closed the reason.
//!
//! Its size is bounded by ranks and melds, never by their combinations. A client needs no rule to
//! show it.

use handfoot_cards::{Card, Kind};
use handfoot_rules::{MeldKind, Need, OpeningBook, OpeningStep, Rules, TakeMatch};

use crate::growth::{grows, is_blocker, size_max};
use crate::judge::{
    KEPT_AFTER_LAY, PAIR, can_take, is_upcard_free, partner_not_ready, question_needed,
};
use crate::opening::Search;
use crate::plan::{Supply, rank_for};
use crate::undo::can_undo;
use crate::way_out::way_out_action;
use crate::{
    Action, Asked, Cap, DrawOffer, Drew, Lay, MeldId, MeldRank, MeldShape, Phase, Rejection, Seat,
    Target, ViewRef, judge, rank_of,
};

/// What a seat may do now.
///
/// # Visibility
///
/// The seat: it says which ranks are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// What the game waits for, as far as this seat goes.
    pub step: Step,
    /// Drawing, in the draw step.
    pub draw: Option<DrawOffer>,
    /// Taking the discard pile, in the draw step.
    pub take: Option<TakeOffer>,
    /// Ranks with cards held, in canonical order.
    pub ranks: Vec<RankOffer>,
    /// The own team's melds, in order.
    pub melds: Vec<MeldOffer>,
    /// One card of each kind that may be discarded now.
    pub discards: Vec<Card>,
    /// The opening, until the team has opened.
    pub opening: Option<OpeningOffer>,
    /// Going out.
    pub going_out: GoingOutOffer,
    /// Acts of this turn that can be undone.
    pub undoable: u8,
}

/// What the game waits for, as far as one seat goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This seat must draw or take the discard pile.
    Draw,
    /// This seat may lay and must end its turn.
    Play,
    /// This seat must answer a team-mate that asks to go out.
    Answer,
    /// This seat must say whether another may undo. Rule: HF-13.1
    AnswerUndo,
    /// Somebody else is to act.
    Wait,
    /// Nobody is.
    Over,
}

/// Whether the discard pile can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeOffer {
    /// It can: so many cards come, the upcard included.
    Open {
        /// Cards that come.
        cards: usize,
    },
    /// It cannot, and why.
    Closed(Rejection),
}

/// What could be laid of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankOffer {
    /// The rank.
    pub rank: MeldRank,
    /// Cards of it held; of "wild", all wild cards.
    pub held: u8,
    /// The team's unfinished meld of it.
    pub unfinished: Option<MeldId>,
    /// Wild cards that a new meld of all those held may take; 0 for "wild".
    pub wilds_allowed: u8,
}

/// A meld of the own team and what may join it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeldOffer {
    /// Which.
    pub meld: MeldId,
    /// What is in it.
    pub shape: MeldShape,
    /// What it is made of.
    pub kind: MeldKind,
    /// Cards until it is complete; 0 for a book.
    pub room: u8,
    /// Naturals that may join it in one act, without wild cards.
    pub natural_room: u8,
    /// Wild cards that may join it now.
    pub wild_room: u8,
    /// Whether a red three may go on top of it. Rule: HF-3.8
    pub red_three: RedThreeRoom,
}

/// Whether a red three may go on top of a meld. Rule: HF-3.8
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedThreeRoom {
    /// One may.
    Open,
    /// None may: it is no clean book, or it has one.
    Closed,
}

/// What an opening needs and what the own cards reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningOffer {
    /// Card points needed; 0 if a book is needed instead.
    pub minimum: i32,
    /// The book needed, if one is. Rule: HF-6.6
    pub book: Option<OpeningBook>,
    /// Whether they reach it: in the draw step own cards, be it with the upcard if it can be taken
    /// now; after it, own cards that may be laid now.
    pub reach: OpeningReach,
}

/// How far own cards reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningReach {
    /// They reach the minimum.
    Enough,
    /// They do not.
    TooLittle,
}

/// How far a seat is from going out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoingOutOffer {
    /// Books the team still lacks.
    pub missing: Need,
    /// The first team-mate who has not come far enough.
    pub partner: Option<Seat>,
    /// Whether the question is needed, open or spent.
    pub question: Question,
    /// A way out that exists now: the action, or the question that names it.
    pub way_out: Option<Action>,
}

/// The question to the team-mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// None is needed.
    NotNeeded,
    /// It can be asked in this turn.
    Open,
    /// It was answered no, or is not this seat's to ask now.
    Closed,
}

impl Menu {
    /// The menu of a view.
    #[must_use]
    pub fn of(view: ViewRef<'_>) -> Menu {
        let step = Step::of(view);
        let take = (step == Step::Draw).then(|| TakeOffer::of(view));
        Menu {
            step,
            draw: (step == Step::Draw).then(|| view.table.draw_offer(view.rules)),
            take,
            ranks: rank_offers(view),
            melds: meld_offers(view),
            discards: discards(view, step),
            opening: OpeningOffer::of(view, take),
            going_out: GoingOutOffer::of(view),
            undoable: match step {
                Step::Play if can_undo(view).is_ok() => view.table.undoable(),
                Step::Play
                | Step::Draw
                | Step::Answer
                | Step::AnswerUndo
                | Step::Wait
                | Step::Over => 0,
            },
        }
    }

    /// Whether an elementary action has a place in the menu, going by kinds and numbers alone. It
    /// never refuses a legal one.
    #[must_use]
    pub fn admits(&self, view: ViewRef<'_>, action: &Action) -> bool {
        match action {
            Action::Draw => self.draw.is_some(),
            Action::AnswerGoOut(_) => self.step == Step::Answer,
            Action::AnswerUndo(_) => self.step == Step::AnswerUndo,
            Action::Discard(card) => self.discards.iter().any(|other| other.kind() == card.kind()),
            Action::TakeDiscards(_) => matches!(self.take, Some(TakeOffer::Open { .. })),
            Action::Lay(lay) => self.step == Step::Play && self.admits_lay(view, lay),
            Action::AskToGoOut(_) => self.going_out.question == Question::Open,
            Action::UndoLays(acts) => *acts <= self.undoable,
        }
    }

    fn admits_lay(&self, view: ViewRef<'_>, lay: &Lay) -> bool {
        lay.placements().all(|placement| match placement.target {
            Target::Meld(id) => self.melds.iter().any(|offer| {
                let room =
                    size_max(view.rules, offer.shape.rank).saturating_sub(offer.shape.size());
                let room = usize::from(room) + usize::from(is_blocker(view.rules));
                offer.meld == id && room >= placement.cards.len()
            }),
            Target::New => {
                let rank = rank_of(placement.cards, view.rules);
                self.ranks.iter().any(|offer| offer.rank == rank)
            }
        })
    }
}

impl Step {
    fn of(view: ViewRef<'_>) -> Step {
        match view.table.phase {
            Phase::RoundOver { .. } | Phase::GameOver { .. } => Step::Over,
            _ if view.table.to_act() != Some(view.seat) => Step::Wait,
            Phase::Draw { .. } => Step::Draw,
            Phase::Play { .. } => Step::Play,
            Phase::AwaitAnswer { .. } => Step::Answer,
            Phase::AwaitUndo { .. } => Step::AnswerUndo,
        }
    }
}

impl TakeOffer {
    fn of(view: ViewRef<'_>) -> TakeOffer {
        let open = TakeOffer::Open { cards: view.table.take_count(view.rules) };
        if is_upcard_free(view) {
            return open;
        }
        if let Err(rejection) = can_take(view) {
            return TakeOffer::Closed(rejection);
        }
        if !crate::takes(view).is_empty() {
            return open;
        }
        TakeOffer::Closed(why_not_taken(view))
    }
}

/// Why the discard pile cannot be taken with the cards held.
fn why_not_taken(view: ViewRef<'_>) -> Rejection {
    let Some(upcard) = view.table.upcard() else { return Rejection::DiscardsEmpty };
    let rank = rank_for(view.rules, upcard).unwrap_or(MeldRank::Wild);
    let used = view.own.of_kind(upcard.kind());
    if used < PAIR
        && let Some(rejection) = why_not_matched(view, rank, used)
    {
        return rejection;
    }
    // The least lay of the upcard and what goes with it, refused for whatever stands in its way.
    if let Some(lay) = Search::least_take(view)
        && let Err(rejection) = judge(view, &Action::TakeDiscards(lay))
    {
        return rejection;
    }
    // There is none: they fit neither onto the unfinished meld nor beside it.
    let team = &view.table.teams[view.team().index()];
    let size = team.unfinished(rank, view.rules).map_or(0, |(_, shape)| shape.size());
    Rejection::MeldTooLarge { cards: size + PAIR + 1, allowed: view.rules.draft().book_size }
}

/// Why so few cards of its kind, and what else is held, do not take the upcard.
fn why_not_matched(view: ViewRef<'_>, rank: MeldRank, used: u8) -> Option<Rejection> {
    let required = PAIR;
    let matching = view.rules.draft().take.matching;
    match (rank, matching) {
        (MeldRank::Wild, _) => Some(Rejection::WildsDoNotMatch { used, required }),
        (_, TakeMatch::NaturalPair) => Some(Rejection::NoNaturalPair { used, required }),
        _ if view.table.is_frozen(view.rules) => Some(Rejection::DiscardsFrozen { used, required }),
        (_, TakeMatch::OneNatural) if used == 0 => {
            Some(Rejection::UpcardNotMatched { used, required: 1 })
        }
        (_, TakeMatch::OneNatural) => None,
        (_, TakeMatch::PairOrAddToMeld | TakeMatch::NaturalPlusWild) => {
            let none = Search::least_take(view).is_none();
            none.then_some(Rejection::UpcardNotMatched { used, required })
        }
    }
}

fn rank_offers(view: ViewRef<'_>) -> Vec<RankOffer> {
    let supply = Supply::of(view.rules, view.own);
    let team = &view.table.teams[view.team().index()];
    let unfinished = |rank| team.unfinished(rank, view.rules).map(|(id, _)| id);
    let natural = |kind: Kind| {
        let held = supply.by_kind[kind.index()];
        let rank = MeldRank::Natural(kind);
        let wilds_allowed =
            MeldShape { naturals: held, ..MeldShape::empty(rank) }.wilds_max(view.rules);
        RankOffer { rank, held, unfinished: unfinished(rank), wilds_allowed }
    };
    let wild = RankOffer {
        rank: MeldRank::Wild,
        held: supply.wilds,
        unfinished: unfinished(MeldRank::Wild),
        wilds_allowed: 0,
    };
    let naturals = view.rules.melding().map(natural);
    naturals.chain(std::iter::once(wild)).filter(|offer| offer.held > 0).collect()
}

fn meld_offers(view: ViewRef<'_>) -> Vec<MeldOffer> {
    let rules = view.rules;
    let team = &view.table.teams[view.team().index()];
    let offer = |(meld, shape): (MeldId, MeldShape)| {
        let room = rules.draft().book_size.saturating_sub(shape.size());
        let with_naturals = |more| MeldShape { naturals: shape.naturals + more, ..shape };
        let with_wilds = |more| MeldShape { wilds: shape.wilds + more, ..shape };
        let is_natural = shape.rank != MeldRank::Wild;
        let takes_red_three =
            is_blocker(rules) && shape.is_clean_book(rules) && shape.cap == Cap::Bare;
        MeldOffer {
            meld,
            shape,
            kind: shape.kind(),
            room,
            natural_room: match is_natural {
                true => room_for(rules, meld, shape, with_naturals),
                false => 0,
            },
            wild_room: room_for(rules, meld, shape, with_wilds),
            red_three: match takes_red_three {
                true => RedThreeRoom::Open,
                false => RedThreeRoom::Closed,
            },
        }
    };
    team.shapes().map(offer).collect()
}

/// The most cards of one sort that may join a meld.
fn room_for(rules: &Rules, meld: MeldId, shape: MeldShape, with: impl Fn(u8) -> MeldShape) -> u8 {
    let most = size_max(rules, shape.rank).saturating_sub(shape.size());
    let fits = |more: &u8| grows(rules, Some((meld, shape)), with(*more)).is_ok();
    (1..=most).take_while(fits).last().unwrap_or(0)
}

fn discards(view: ViewRef<'_>, step: Step) -> Vec<Card> {
    if step != Step::Play {
        return Vec::new();
    }
    let cards = view.rules.kinds().filter_map(|kind| view.own.lowest(kind));
    cards.filter(|card| judge(view, &Action::Discard(*card)).is_ok()).collect()
}

impl OpeningOffer {
    fn of(view: ViewRef<'_>, take: Option<TakeOffer>) -> Option<OpeningOffer> {
        if view.table.teams[view.team().index()].has_opened() {
            return None;
        }
        let (minimum, book) = match view.opening() {
            OpeningStep::Points(points) => (points, None),
            OpeningStep::Book(book) => (0, Some(book)),
        };
        let drew_discards = matches!(view.table.phase, Phase::Play { drew: Drew::Discards, .. });
        let is_closed = drew_discards && book == Some(OpeningBook::BookFromHand);
        let finds = |kept| {
            let mut searches = Search::openings(view).into_iter();
            !is_closed && searches.any(|search| search.finds_keeping(kept))
        };
        let reaches = match (Step::of(view), take) {
            (_, Some(TakeOffer::Open { .. })) if !is_upcard_free(view) => true,
            (Step::Play, _) => {
                finds(KEPT_AFTER_LAY) || matches!(crate::way_out(view), Some(Action::Lay(_)))
            }
            // Drawing brings more than must be kept.
            (Step::Draw | Step::Answer | Step::AnswerUndo | Step::Wait | Step::Over, _) => finds(0),
        };
        let reach = match reaches {
            true => OpeningReach::Enough,
            false => OpeningReach::TooLittle,
        };
        Some(OpeningOffer { minimum, book, reach })
    }
}

impl GoingOutOffer {
    fn of(view: ViewRef<'_>) -> GoingOutOffer {
        let books = view.table.teams[view.team().index()].books(view.rules);
        let acts = view.table.to_act() == Some(view.seat);
        let way_out = match acts {
            true => way_out_action(view),
            false => None,
        };
        GoingOutOffer {
            missing: books.missing(view.table.round(view.rules).need),
            partner: partner_not_ready(view),
            question: Question::of(view),
            way_out,
        }
    }

    /// Whether books and team-mates allow going out.
    #[must_use]
    pub fn is_contract_met(&self) -> bool {
        self.missing.is_met() && self.partner.is_none()
    }
}

impl Question {
    fn of(view: ViewRef<'_>) -> Question {
        let asked = match view.table.phase {
            Phase::Draw { seat, asked } | Phase::Play { seat, asked, .. } if seat == view.seat => {
                asked
            }
            Phase::Draw { .. }
            | Phase::Play { .. }
            | Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => Asked::Refused,
        };
        match (question_needed(view), asked) {
            (false, _) => Question::NotNeeded,
            (true, Asked::NotYet) if view.in_foot() => Question::Open,
            (true, Asked::NotYet | Asked::Granted | Asked::Refused) => Question::Closed,
        }
    }
}
