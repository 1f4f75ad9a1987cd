//! Which keys each query attends to.

use std::ops::Range;

/// Which keys each query attends to. Gates are stored by pair: those of the first query, in the order of its keys, then
/// those of the second … So are attention weights, but for a gap after each query: without it, the weights of a key
/// would be a power of two apart where all queries attend to all keys, and compete for the same set of a cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mask {
    /// Where the pairs of each query begin, and the end of the last.
    begins: Vec<usize>,
    /// The key of each pair.
    keys: Vec<u8>,
    /// Where the pairs of each key begin in `by_key`, and the end of the last.
    key_begins: Vec<usize>,
    /// The query and the index of the weight of each pair, sorted by key.
    by_key: Vec<(u8, u16)>,
}

impl Mask {
    /// The pairs of a query and a key for which the condition holds.
    ///
    /// # Panics
    /// If there are more than 128 tokens.
    pub fn new(tokens: usize, attends: impl Fn(usize, usize) -> bool) -> Self {
        assert!(tokens <= 128, "more pairs than can be numbered");
        let (mut begins, mut keys) = (vec![0], Vec::new());
        let mut pairs_of_key = vec![Vec::new(); tokens];
        for query in 0..tokens {
            for key in (0..tokens).filter(|&key| attends(query, key)) {
                pairs_of_key[key].push((query as u8, (keys.len() + query) as u16));
                keys.push(key as u8);
            }
            begins.push(keys.len());
        }
        let mut key_begins = vec![0];
        for pairs in &pairs_of_key {
            key_begins.push(key_begins[key_begins.len() - 1] + pairs.len());
        }
        Self { begins, keys, key_begins, by_key: pairs_of_key.concat() }
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of attention weights, with gaps.
    pub fn weights_len(&self) -> usize {
        self.len() + self.tokens()
    }

    /// Whether no query attends to anything.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Query and key of each pair, in the order of attention weights.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.tokens())
            .flat_map(|query| self.keys_of(query).iter().map(move |&key| (query, usize::from(key))))
    }

    /// The number of tokens.
    #[inline(always)]
    pub(super) fn tokens(&self) -> usize {
        self.begins.len() - 1
    }

    /// The pairs of a query.
    #[inline(always)]
    pub(super) fn of_query(&self, query: usize) -> Range<usize> {
        self.begins[query]..self.begins[query + 1]
    }

    /// The weights of a query.
    #[inline(always)]
    pub(super) fn weights_of(&self, query: usize) -> Range<usize> {
        self.begins[query] + query..self.begins[query + 1] + query
    }

    /// The keys of a query.
    #[inline(always)]
    pub(super) fn keys_of(&self, query: usize) -> &[u8] {
        &self.keys[self.of_query(query)]
    }

    /// Whether all queries attend to all keys.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len() == self.tokens() * self.tokens()
    }

    /// Query and index of the weight of the pairs of a key.
    #[inline(always)]
    pub(super) fn of_key(&self, key: usize) -> &[(u8, u16)] {
        &self.by_key[self.key_begins[key]..self.key_begins[key + 1]]
    }
}
