import Synchronization

/// The keys behind one key up to another, listed a page after the other.
///
/// A range can be cut while a page of it is on the way: it then takes only the keys that are still its own. It may be used from
/// any thread.
final class ListingRange: Sendable {
    /// The place of a range, all at one time.
    struct Place {
        /// The last key that is listed; at first the one that the range begins behind, empty for the first of all.
        fileprivate(set) var position: String
        /// The position before the last page; nil before the first page.
        fileprivate(set) var last: String?
        /// The first key of the last page that had some.
        fileprivate(set) var first: String?
        /// The last key that can be in the range; nil for the end of the listing.
        fileprivate(set) var through: String?
        /// True if a page has arrived since the range was made or cut.
        fileprivate(set) var isMoved = false
        fileprivate(set) var isEnded = false
    }

    /// The keys of a page that are the range's own.
    struct Taken {
        var entries: [S3Page.Entry] = []
        /// True if these are the last ones.
        var isEnd = false
    }

    /// A listing whose keys are not in the order of their bytes.
    struct Disorder: Error {}

    private let state: Mutex<Place>

    init(after position: String, through: String?) {
        state = Mutex(Place(position: position, last: nil, through: through))
    }

    var place: Place { state.withLock { $0 } }

    /// Takes the keys of a page that was asked for behind the position; a key that is told twice is taken once.
    func take(_ page: S3Page) throws(Disorder) -> Taken {
        try state.withLock { place throws(Disorder) in
            guard page.isByBytes else { throw Disorder() }
            var taken = Taken()
            var previous = place.position
            taken.entries.reserveCapacity(page.entries.count)
            for entry in page.entries {
                if let through = place.through, through.isBefore(entry.key) {
                    taken.isEnd = true
                    break
                }
                guard previous.isBefore(entry.key) else {
                    if previous.utf8.elementsEqual(entry.key.utf8) { continue }
                    throw Disorder()
                }
                taken.entries.append(entry)
                previous = entry.key
            }
            if !page.isTruncated { taken.isEnd = true }
            if let through = place.through, !previous.isBefore(through) { taken.isEnd = true }
            (place.last, place.position, place.isEnded) = (place.position, previous, taken.isEnd)
            place.first = taken.entries.first?.key ?? place.first
            place.isMoved = true
            return taken
        }
    }

    /// Ends the range at the first of `points` that lies ahead of it, and returns new ranges for the rest, in order.
    ///
    /// `points` ascend. Without one that lies ahead and in the range, it stays whole.
    func cut(at points: [String]) -> [ListingRange] {
        state.withLock { place in
            guard !place.isEnded else { return [] }
            let inside = points.filter { point in
                place.position.isBefore(point) && (place.through.map { point.isBefore($0) } ?? true)
            }
            guard let first = inside.first else { return [] }
            let ends = inside.dropFirst().map(Optional.some) + [place.through]
            place.through = first
            place.isMoved = false
            return zip(inside, ends).map { ListingRange(after: $0, through: $1) }
        }
    }
}

extension String {
    /// Returns true if the text is before another by the bytes of their UTF-8, the order of keys in a listing.
    func isBefore(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
