//! A table at the baseline: messages of a game's sizes, and nothing in them.
//!
//! **Invariant:** sends and reads as the player of the service does: the same number of calls,
//! connections and headers.

use std::sync::Arc;

use prost::encoding::encoded_len_varint;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Request, Streaming};
use tonic_prost::ProstCodec;

use super::message::{ECHO, Ping, Pong, WATCH, payload};
use crate::script::{SEATS, Script};
use crate::trouble::Trouble;
use crate::watching::Watching;

/// A table at the baseline.
#[derive(Debug)]
pub(crate) struct BareTable {
    number: u32,
    script: Arc<Script>,
    next: usize,
    grpc: Grpc<Channel>,
    /// What goes into the header `authorization`, as long as a seat's token.
    header: MetadataValue<Ascii>,
    watching: Watching,
}

impl BareTable {
    pub(crate) fn new(
        number: u32,
        script: Arc<Script>,
        channel: Channel,
        header: MetadataValue<Ascii>,
    ) -> BareTable {
        let (grpc, watching) = (Grpc::new(channel), Watching::default());
        BareTable { number, script, next: 0, grpc, header, watching }
    }

    /// Opens a stream for each seat.
    ///
    /// # Errors
    ///
    /// `Call`.
    pub(crate) async fn watch(&mut self) -> Result<(), Trouble> {
        for _ in 0..SEATS {
            let ping = Ping { table: self.number, ..Ping::default() };
            let request = self.request(ping);
            ready(&mut self.grpc).await?;
            let path = http::uri::PathAndQuery::from_static(WATCH);
            let opened = self.grpc.server_streaming(request, path, ProstCodec::default()).await;
            let mut items: Streaming<Pong> =
                opened.map_err(Trouble::call("watching the baseline"))?.into_inner();
            next_item(&mut items).await?;
            let wanted = self.script.acts.len() as u64;
            self.watching.add(async move {
                for _ in 0..wanted {
                    next_item(&mut items).await?;
                }
                Ok(wanted)
            });
        }
        Ok(())
    }

    /// Sends what stands for the next action. Gives false when there is none.
    ///
    /// # Errors
    ///
    /// `Call`, or `Wrong` if the answer has another size.
    pub(crate) async fn act(&mut self) -> Result<bool, Trouble> {
        let Some(act) = self.script.acts.get(self.next) else { return Ok(false) };
        self.next += 1;
        let item_bytes = if self.watching.is_empty() {
            0
        } else {
            small(inside(act.item_bytes.iter().sum::<usize>() / SEATS))
        };
        let answer_bytes = small(inside(act.answer_bytes));
        let mut ping = Ping { table: self.number, answer_bytes, item_bytes, ..Ping::default() };
        let head = prost::Message::encoded_len(&ping);
        ping.payload = payload(inside(act.request_bytes.saturating_sub(head)));
        let request = self.request(ping);
        ready(&mut self.grpc).await?;
        let path = http::uri::PathAndQuery::from_static(ECHO);
        let answered = self.grpc.unary(request, path, ProstCodec::default()).await;
        let pong: Pong = answered.map_err(Trouble::call("the echo"))?.into_inner();
        match pong.payload.len() == answer_bytes as usize {
            true => Ok(true),
            false => Err(Trouble::wrong("the echo has another size than was asked for")),
        }
    }

    /// How many commits its watchers have seen, when they have seen all.
    ///
    /// # Errors
    ///
    /// `Call`.
    pub(crate) async fn seen(&mut self) -> Result<u64, Trouble> {
        self.watching.finish().await
    }

    fn request(&self, ping: Ping) -> Request<Ping> {
        let mut request = Request::new(ping);
        request.metadata_mut().insert("authorization", self.header.clone());
        request
    }
}

async fn ready(grpc: &mut Grpc<Channel>) -> Result<(), Trouble> {
    Ok(grpc.ready().await?)
}

async fn next_item(items: &mut Streaming<Pong>) -> Result<Pong, Trouble> {
    let item = items.message().await.map_err(Trouble::call("watching the baseline"))?;
    item.ok_or_else(|| Trouble::wrong("a stream of the baseline ended"))
}

/// Bytes of a payload in a field that is to have so many, its tag and length included.
fn inside(bytes: usize) -> usize {
    bytes.saturating_sub(1 + encoded_len_varint(bytes as u64))
}

fn small(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
