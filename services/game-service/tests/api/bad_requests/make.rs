//! Requests made from the contract's own description: random ones, and good ones spoilt.
//!
//! **Invariant:** a seed gives the same requests; every field of every message can be set.

use std::collections::{BTreeMap, BTreeSet};

use handfoot_protocol::DESCRIPTORS;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn of<'a, T>(&mut self, pool: &'a [T]) -> &'a T {
        &pool[self.below(pool.len())]
    }

    /// A number that is often where limits are.
    pub(super) fn number(&mut self) -> u64 {
        const POOL: [u64; 16] = [
            0,
            1,
            2,
            4,
            5,
            12,
            13,
            33,
            200,
            256,
            1_000,
            30_001,
            u32::MAX as u64,
            i32::MAX as u64 + 1,
            i64::MAX as u64,
            u64::MAX,
        ];
        match self.one_in(8) {
            true => self.next(),
            false => *self.of(&POOL),
        }
    }
}

/// A method of the contract.
#[derive(Clone, Debug)]
pub(crate) struct Rpc {
    pub(crate) service: String,
    pub(crate) method: String,
    pub(crate) input: String,
    pub(super) is_stream: bool,
}

/// The contract, and texts that are worth a try.
pub(crate) struct Schema {
    messages: BTreeMap<String, DescriptorProto>,
    pub(crate) rpcs: Vec<Rpc>,
    pub(super) texts: Vec<String>,
}

fn register(into: &mut BTreeMap<String, DescriptorProto>, within: &str, of: &DescriptorProto) {
    let name = format!("{within}.{}", of.name());
    of.nested_type.iter().for_each(|nested| register(into, &name, nested));
    into.insert(name, of.clone());
}

fn nasty_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        "x",
        "casual",
        "\u{0}",
        "a\nb",
        "\u{1f0a1}\u{202e}\u{feff}",
        "../../etc/passwd",
        "'; DROP TABLE tables; --",
        "00000000-0000-4000-8000-00000000000g",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "t.1.2.3",
        "999999999999999999999999999",
        "Bearer x",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend(["a".repeat(65), "\u{e9}".repeat(81), "\u{1f0a1}".repeat(600)]);
    texts
}

impl Schema {
    pub(crate) fn new() -> Schema {
        let (mut messages, mut rpcs) = (BTreeMap::new(), Vec::new());
        for file in FileDescriptorSet::decode(DESCRIPTORS).unwrap().file {
            let package = format!(".{}", file.package());
            file.message_type.iter().for_each(|of| register(&mut messages, &package, of));
            for service in &file.service {
                rpcs.extend(service.method.iter().map(|method| Rpc {
                    service: service.name().to_owned(),
                    method: method.name().to_owned(),
                    input: method.input_type().to_owned(),
                    is_stream: method.server_streaming(),
                }));
            }
        }
        Schema { messages, rpcs, texts: nasty_texts() }
    }

    /// A message of this type: each field is left out, or holds anything.
    pub(super) fn random(&self, name: &str, chance: &mut Chance) -> Vec<u8> {
        let mut made = Vec::new();
        self.fill(name, chance, 0, &mut made);
        made
    }

    /// One field of this type, to be put after a message, of which it replaces the field.
    pub(super) fn one_field(&self, name: &str, chance: &mut Chance) -> Vec<u8> {
        let mut made = Vec::new();
        let fields = &self.messages[name].field;
        if !fields.is_empty() {
            self.put(chance.of(fields), chance, 1, &mut made);
        }
        made
    }

    /// The names of all fields of a message and of what is in it.
    pub(crate) fn fields_within(&self, name: &str) -> BTreeSet<String> {
        let (mut names, mut seen, mut left) =
            (BTreeSet::new(), BTreeSet::new(), vec![name.to_owned()]);
        while let Some(name) = left.pop() {
            let Some(message) = self.messages.get(&name).filter(|_| seen.insert(name.clone()))
            else {
                continue;
            };
            for field in &message.field {
                names.insert(field.name().to_owned());
                left.push(field.type_name().to_owned());
            }
        }
        names
    }

    fn fill(&self, name: &str, chance: &mut Chance, depth: usize, into: &mut Vec<u8>) {
        let Some(message) = self.messages.get(name).filter(|_| depth < 7) else { return };
        for field in &message.field {
            if !chance.one_in(2 + depth) {
                continue;
            }
            let n_items = match (field.label(), depth) {
                (Label::Repeated, 0 | 1) => *chance.of(&[0, 1, 2, 17, 33, 40]),
                (Label::Repeated, _) => *chance.of(&[0, 1, 3]),
                (Label::Optional | Label::Required, _) => 1,
            };
            (0..n_items).for_each(|_| self.put(field, chance, depth, into));
        }
    }

    fn put(
        &self,
        field: &FieldDescriptorProto,
        chance: &mut Chance,
        depth: usize,
        into: &mut Vec<u8>,
    ) {
        let number = u64::try_from(field.number()).unwrap();
        let is_message = field.r#type() == Type::Message;
        if !is_message && !matches!(field.r#type(), Type::String | Type::Bytes) {
            put_varint(number << 3, into);
            return put_varint(chance.number(), into);
        }
        let mut content = Vec::new();
        if is_message {
            self.fill(field.type_name(), chance, depth + 1, &mut content);
        } else if chance.one_in(20) {
            let length = *chance.of(&[16, 17, 300]);
            content.extend((0..length).map(|_| chance.next().to_le_bytes()[0]));
        } else {
            content.extend_from_slice(chance.of(&self.texts).as_bytes());
        }
        put_field(number, &content, into);
    }
}

fn put_varint(mut number: u64, into: &mut Vec<u8>) {
    while number > 0x7f {
        into.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    into.push(number.to_le_bytes()[0]);
}

fn put_field(number: u64, content: &[u8], into: &mut Vec<u8>) {
    put_varint(number << 3 | 2, into);
    put_varint(u64::try_from(content.len()).unwrap(), into);
    into.extend_from_slice(content);
}

/// The message with some of its bytes flipped, cut off or put in.
pub(super) fn spoilt(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..=chance.below(3) {
        let at = chance.below(bytes.len() + 1);
        match chance.below(4) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, chance.next().to_le_bytes()[0]),
        }
    }
    bytes
}

/// The message with a field that no version knows, so that it is over a size.
pub(super) fn oversized(mut bytes: Vec<u8>, over: usize) -> Vec<u8> {
    put_field(999, &vec![b'x'; over], &mut bytes);
    bytes
}
