//! Menus and lists of legal actions, both ways.
//!
//! **Invariant:** nothing is offered here that the menu does not offer.

use handfoot_view::{
    Action, DrawOffer, GoingOutOffer, LIST_MAX, MELD_CARDS_MAX, MELDS_MAX, MeldOffer, MeldShape,
    Menu, OpeningOffer, OpeningReach, Question, RankOffer, RedThreeRoom, Step, TakeOffer,
};

use crate::codec::{Codec, meld, number, read_meld, seat_or_none};
use crate::decode::{At, DecodeError, pairs};
use crate::rules::words::{opening_book, read_opening_book};
use crate::v1;
use crate::view::{cap, count, meld_kind, need, read_cap, read_need, read_total};

pairs! {
    step / read_step: Step = Step {
        Draw = Draw,
        Play = Play,
        Answer = Answer,
        AnswerUndo = AnswerUndo,
        Wait = Wait,
        Over = Over,
    }
    red_three_room / read_red_three_room: RedThreeRoom = RedThreeRoom { Open = Open, Closed = Closed }
    reach / read_reach: OpeningReach = OpeningReach { Enough = Enough, TooLittle = TooLittle }
    question / read_question: Question = GoOutQuestion {
        NotNeeded = NotNeeded,
        Open = Open,
        Closed = Closed,
    }
}

impl Codec<'_> {
    /// What a seat may do at a version of its table, as it is sent to that seat.
    #[must_use]
    pub fn encode_legal(&self, version: u64, menu: &Menu, actions: &[Action]) -> v1::LegalActions {
        v1::LegalActions {
            version,
            menu: Some(self.encode_menu(menu)),
            actions: actions.iter().map(|action| self.encode_action(action)).collect(),
        }
    }

    /// The listed actions that were received.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`].
    pub fn decode_list(&self, actions: &[v1::Action]) -> Result<Vec<Action>, DecodeError> {
        let root = At::Root;
        self.read_actions(actions, LIST_MAX, root.field("actions"))
    }

    /// A menu as it is sent to its seat.
    #[must_use]
    pub fn encode_menu(&self, menu: &Menu) -> v1::Menu {
        v1::Menu {
            step: step(menu.step),
            draw: menu.draw.map(draw_offer),
            take: menu.take.as_ref().map(|offer| self.take_offer(offer)),
            ranks: menu.ranks.iter().map(|offer| self.rank_offer(offer)).collect(),
            melds: menu.melds.iter().map(|offer| self.meld_offer(offer)).collect(),
            discards: self.card_list(menu.discards.iter().copied()),
            opening: menu.opening.map(|offer| v1::OpeningOffer {
                minimum: offer.minimum,
                reach: reach(offer.reach),
                book: offer.book.map_or(v1::OpeningBook::Unspecified as i32, opening_book),
            }),
            going_out: Some(self.going_out(&menu.going_out)),
            undoable: count(menu.undoable),
        }
    }

    fn take_offer(self, offer: &TakeOffer) -> v1::TakeOffer {
        let offer = match offer {
            TakeOffer::Open { cards } => v1::take_offer::Offer::Cards(number(*cards)),
            TakeOffer::Closed(rejection) => {
                v1::take_offer::Offer::Closed(self.encode_refusal(rejection))
            }
        };
        v1::TakeOffer { offer: Some(offer) }
    }

    fn rank_offer(self, offer: &RankOffer) -> v1::RankOffer {
        v1::RankOffer {
            rank: self.rank(offer.rank),
            held: count(offer.held),
            unfinished: offer.unfinished.map_or(0, meld),
            wilds_allowed: count(offer.wilds_allowed),
        }
    }

    fn meld_offer(self, offer: &MeldOffer) -> v1::MeldOffer {
        v1::MeldOffer {
            meld: meld(offer.meld),
            rank: self.rank(offer.shape.rank),
            naturals: count(offer.shape.naturals),
            wilds: count(offer.shape.wilds),
            kind: meld_kind(offer.kind),
            room: count(offer.room),
            wild_room: count(offer.wild_room),
            natural_room: count(offer.natural_room),
            cap: cap(offer.shape.cap),
            red_three: red_three_room(offer.red_three),
        }
    }

    fn going_out(self, offer: &GoingOutOffer) -> v1::GoingOutOffer {
        v1::GoingOutOffer {
            missing: Some(need(offer.missing)),
            partner: seat_or_none(offer.partner),
            question: question(offer.question),
            way_out: offer.way_out.as_ref().map(|action| self.encode_action(action)),
        }
    }

    /// A received menu.
    ///
    /// # Errors
    ///
    /// The first [`DecodeError`].
    pub fn decode_menu(&self, menu: &v1::Menu) -> Result<Menu, DecodeError> {
        let root = At::Root;
        let at_ranks = root.field("ranks");
        at_ranks.at_most(menu.ranks.len(), self.rules.pack().kinds().len() + 1)?;
        let ranks = menu.ranks.iter().enumerate();
        let ranks = ranks.map(|(index, offer)| self.read_rank_offer(offer, at_ranks.entry(index)));
        let at_melds = root.field("melds");
        at_melds.at_most(menu.melds.len(), MELDS_MAX)?;
        let melds = menu.melds.iter().enumerate();
        let melds = melds.map(|(index, offer)| self.read_meld_offer(offer, at_melds.entry(index)));
        let kinds = self.rules.pack().kinds().len();
        Ok(Menu {
            step: read_step(menu.step, root.field("step"))?,
            draw: menu.draw.as_ref().map(|o| read_draw(o, root.field("draw"))).transpose()?,
            take: menu.take.as_ref().map(|o| self.read_take(o, root.field("take"))).transpose()?,
            ranks: ranks.collect::<Result<_, _>>()?,
            melds: melds.collect::<Result<_, _>>()?,
            discards: self.read_card_list(&menu.discards, kinds, root.field("discards"))?,
            opening: menu
                .opening
                .as_ref()
                .map(|offer| read_opening(offer, root.field("opening")))
                .transpose()?,
            going_out: self.read_going_out(menu.going_out.as_ref(), root.field("going_out"))?,
            undoable: root.field("undoable").number(menu.undoable, u8::MAX)?,
        })
    }

    fn read_take(self, offer: &v1::TakeOffer, at: At<'_>) -> Result<TakeOffer, DecodeError> {
        match at.set(offer.offer.as_ref())? {
            v1::take_offer::Offer::Cards(cards) => {
                let cards = usize::from(self.read_count(*cards, at.field("cards"))?);
                Ok(TakeOffer::Open { cards })
            }
            v1::take_offer::Offer::Closed(refusal) => {
                Ok(TakeOffer::Closed(self.read_refusal(refusal, at.field("closed"))?))
            }
        }
    }

    fn read_rank_offer(self, offer: &v1::RankOffer, at: At<'_>) -> Result<RankOffer, DecodeError> {
        let unfinished = match offer.unfinished {
            0 => None,
            number => Some(read_meld(number, at.field("unfinished"))?),
        };
        Ok(RankOffer {
            rank: self.read_rank(offer.rank, at.field("rank"))?,
            held: at.field("held").number(offer.held, u8::MAX)?,
            unfinished,
            wilds_allowed: at.field("wilds_allowed").number(offer.wilds_allowed, u8::MAX)?,
        })
    }

    fn read_meld_offer(self, offer: &v1::MeldOffer, at: At<'_>) -> Result<MeldOffer, DecodeError> {
        let naturals: u8 = at.field("naturals").number(offer.naturals, MELD_CARDS_MAX)?;
        let shape = MeldShape {
            rank: self.read_rank(offer.rank, at.field("rank"))?,
            naturals,
            wilds: at.field("wilds").number(offer.wilds, MELD_CARDS_MAX - naturals)?,
            cap: read_cap(offer.cap, at.field("cap"))?,
        };
        Ok(MeldOffer {
            meld: read_meld(offer.meld, at.field("meld"))?,
            shape,
            kind: shape.kind(),
            room: at.field("room").number(offer.room, u8::MAX)?,
            wild_room: at.field("wild_room").number(offer.wild_room, u8::MAX)?,
            natural_room: at.field("natural_room").number(offer.natural_room, u8::MAX)?,
            red_three: match offer.red_three {
                0 => RedThreeRoom::Closed,
                room => read_red_three_room(room, at.field("red_three"))?,
            },
        })
    }

    fn read_going_out(
        self,
        offer: Option<&v1::GoingOutOffer>,
        at: At<'_>,
    ) -> Result<GoingOutOffer, DecodeError> {
        let offer = at.set(offer)?;
        let at_missing = at.field("missing");
        let way_out = offer.way_out.as_ref();
        let way_out = way_out.map(|action| self.read_action(Some(action), at.field("way_out")));
        Ok(GoingOutOffer {
            missing: read_need(at_missing.set(offer.missing.as_ref())?, at_missing)?,
            partner: self.read_seat_or_none(offer.partner, at.field("partner"))?,
            question: read_question(offer.question, at.field("question"))?,
            way_out: way_out.transpose()?,
        })
    }
}

fn draw_offer(offer: DrawOffer) -> v1::DrawOffer {
    let offer = match offer {
        DrawOffer::Cards(cards) => v1::draw_offer::Offer::Cards(count(cards)),
        DrawOffer::EndsRound => v1::draw_offer::Offer::EndsRound(v1::DrawEndsRound {}),
        DrawOffer::Passes => v1::draw_offer::Offer::Passes(v1::DrawPasses {}),
    };
    v1::DrawOffer { offer: Some(offer) }
}

fn read_draw(offer: &v1::DrawOffer, at: At<'_>) -> Result<DrawOffer, DecodeError> {
    match at.set(offer.offer.as_ref())? {
        v1::draw_offer::Offer::Cards(cards) => {
            Ok(DrawOffer::Cards(at.field("cards").number(*cards, u8::MAX)?))
        }
        v1::draw_offer::Offer::EndsRound(v1::DrawEndsRound {}) => Ok(DrawOffer::EndsRound),
        v1::draw_offer::Offer::Passes(v1::DrawPasses {}) => Ok(DrawOffer::Passes),
    }
}

fn read_opening(offer: &v1::OpeningOffer, at: At<'_>) -> Result<OpeningOffer, DecodeError> {
    Ok(OpeningOffer {
        minimum: read_total(offer.minimum, at.field("minimum"))?,
        book: match offer.book {
            0 => None,
            book => Some(read_opening_book(book, at.field("book"))?),
        },
        reach: read_reach(offer.reach, at.field("reach"))?,
    })
}
