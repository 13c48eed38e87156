//! Partitions, and the tags by which a cluster puts each of them in one slot.
//!
//! **Invariant:** what must change in one step has keys of one tag. Tags and partitions never
//! change, because what is kept was written under them.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use crate::{Partition, TableId};

/// How many partitions there are.
pub(super) const PARTITIONS: u16 = 256;

/// Slots of a cluster, as Redis has them.
pub(super) const SLOTS: u16 = 16_384;

/// The tag of each partition: the smallest number whose slot lies in the partition's share.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut tags = vec![None; usize::from(PARTITIONS)];
    let mut n_missing = tags.len();
    let mut number = 0_u32;
    while n_missing > 0 {
        let tag = number.to_string();
        let share = usize::from(slot(tag.as_bytes()) / (SLOTS / PARTITIONS));
        if tags[share].is_none() {
            tags[share] = Some(tag);
            n_missing -= 1;
        }
        number += 1;
    }
    tags.into_iter().flatten().collect()
});

/// The partition that a table lies in.
pub(super) fn partition_of(table: &TableId) -> Partition {
    let [low, ..] = xxh3_64(table.as_str().as_bytes()).to_le_bytes();
    Partition(u16::from(low))
}

/// All partitions.
pub(super) fn partitions() -> impl Iterator<Item = Partition> {
    (0..PARTITIONS).map(Partition)
}

/// The tag of a partition; none if there is no such partition.
pub(super) fn tag(partition: Partition) -> Option<&'static str> {
    TAGS.get(usize::from(partition.0)).map(String::as_str)
}

/// The partition of a tag; none if it is not one of ours.
pub(super) fn of_tag(tag: &str) -> Option<Partition> {
    // Shares and partitions are counted alike.
    let share = slot(tag.as_bytes()) / (SLOTS / PARTITIONS);
    let partition = Partition(share);
    (self::tag(partition) == Some(tag)).then_some(partition)
}

/// The slot of a partition.
pub(super) fn slot_of(partition: Partition) -> u16 {
    tag(partition).map_or(0, |tag| slot(tag.as_bytes()))
}

/// The slot of a tag: CRC-16/XMODEM, as the specification of Redis Cluster has it.
fn slot(tag: &[u8]) -> u16 {
    let mut crc = 0_u16;
    for byte in tag {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = match crc & 0x8000 {
                0 => crc << 1,
                _ => (crc << 1) ^ 0x1021,
            };
        }
    }
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(slot(b"123456789"), 0x31C3);
        assert_eq!(slot(b"foo"), 12_182);
    }

    #[test]
    fn a_tag_leads_back_to_its_partition() {
        for partition in partitions() {
            assert_eq!(of_tag(tag(partition).unwrap()), Some(partition));
        }
        assert_eq!((of_tag("none"), of_tag("")), (None, None));
    }

    #[test]
    fn tags_spread_evenly_over_the_slots() {
        let slots: BTreeSet<u16> = partitions().map(slot_of).collect();
        assert_eq!(slots.len(), usize::from(PARTITIONS));
        for n_servers in 1..=64_u16 {
            let mut held = vec![0_u16; usize::from(n_servers)];
            for slot in &slots {
                let server = u32::from(*slot) * u32::from(n_servers) / u32::from(SLOTS);
                held[usize::try_from(server).unwrap()] += 1;
            }
            let (least, most) = (held.iter().min().unwrap(), held.iter().max().unwrap());
            // Each 64 slots have one partition; a border among them may have it on either side.
            let unequal_max = if 64 % n_servers == 0 { 0 } else { 3 };
            assert!(most - least <= unequal_max, "{n_servers} servers hold {least} to {most}");
        }
    }

    #[test]
    fn tables_spread_over_the_partitions_and_stay_there() {
        let of = |name: &str| partition_of(&name.parse().unwrap()).0;
        assert_eq!([of("a"), of("table-1")], [of("a"), of("table-1")]);
        let mut held = [0_u16; 256];
        for number in 0..25_600 {
            held[usize::from(of(&format!("table-{number}")))] += 1;
        }
        assert!(held.iter().all(|n| (50..=160).contains(n)), "{held:?}");
    }
}
