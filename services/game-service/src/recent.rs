//! What was used lately, by key, in bounded room.
//!
//! **Invariant:** of what was used last, as many as fit into a half are there for certain, and at
//! most twice as many are kept.

use std::collections::BTreeMap;
use std::mem;

/// Two halves: what is asked for moves to the young one; when that is full, it becomes the old one,
/// and what was old is forgotten.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    half: usize,
    young: BTreeMap<K, V>,
    old: BTreeMap<K, V>,
}

impl<K: Ord + Clone, V: Clone> Recent<K, V> {
    /// Nothing yet, with room for so many in a half.
    pub(crate) fn new(half: usize) -> Recent<K, V> {
        Recent { half: half.max(1), young: BTreeMap::new(), old: BTreeMap::new() }
    }

    /// What is kept under a key, which is used by that.
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.put(key, value.clone());
        Some(value)
    }

    /// The same, which is not used by that.
    pub(crate) fn peek(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// Keeps something, instead of what is kept under its key.
    pub(crate) fn put(&mut self, key: K, value: V) {
        self.old.remove(&key);
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// Forgets what is kept under a key.
    pub(crate) fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        let mut recent = Recent::new(4);
        recent.put(0, "used");
        for key in 1..100 {
            recent.put(key, "once");
            assert_eq!(recent.get(&0), Some("used"), "{key}");
            assert!(recent.young.len() + recent.old.len() <= 8, "{key}");
        }
        assert_eq!(recent.get(&1), None);
        recent.remove(&0);
        assert_eq!(recent.peek(&0), None);
        assert_eq!(recent.get(&0), None);
    }

    /// What goes round and round is what tables do.
    #[test]
    fn as_many_as_fit_into_a_half_are_kept_however_they_are_used() {
        let mut recent = Recent::new(4);
        (0..4).for_each(|key| recent.put(key, key));
        for key in (0..4).cycle().take(40) {
            assert_eq!(recent.get(&key), Some(key));
        }
        // The newer value counts, wherever the older one was.
        recent.put(9, 9);
        recent.put(0, 10);
        assert_eq!(recent.peek(&0), Some(&10));
        assert_eq!(recent.get(&0), Some(10));
    }
}
