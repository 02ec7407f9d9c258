/// The characters of a bucket's keys, by which the keys between two others are divided without asking for them.
///
/// A key is read as a number below one: each of its characters is a digit, and the digits of a place are the characters that
/// keys were seen to have there, with the rest of their kind. That is only a guess of where keys lie: any text divides a
/// range, and a bad guess costs a request for a range that is empty.
struct KeySpace {
    /// The most places that are looked at; the rest of a key divides nothing.
    private static let mostPlaces = 96
    /// The most characters behind the common beginning that count, which is what a `Double` holds.
    private static let mostDigits = 12

    private let prefix: [Unicode.Scalar]
    /// The characters that were seen at each place behind the prefix.
    private var seen: [Set<Unicode.Scalar>] = []
    /// The characters that keys may have at each of these places, in order.
    private var alphabets: [[Unicode.Scalar]] = []

    /// Creates the space of keys that begin with `prefix`.
    init(prefix: String) {
        self.prefix = Array(prefix.unicodeScalars)
    }

    mutating func learn(_ key: String) {
        for (place, scalar) in key.unicodeScalars.dropFirst(prefix.count).prefix(Self.mostPlaces).enumerated()
        {
            if place == seen.count {
                seen.append([])
                alphabets.append([])
            }
            if seen[place].insert(scalar).inserted { alphabets[place] = Self.alphabet(with: seen[place]) }
        }
    }

    /// Returns the first `count` of the texts that divide the keys between two others into so many `parts` evenly, in order.
    func points(between low: String, and high: String, parts: Int, count: Int) -> [String] {
        let (low, high) = (digits(of: low), digits(of: high))
        let start = zip(low, high).prefix { $0 == $1 }.count
        let (from, to) = (value(of: low, behind: start), value(of: high, behind: start))
        guard to > from, count > 0 else { return [] }
        var points: [String] = []
        for number in 1...count {
            let value = from + (to - from) * Double(number) / Double(parts)
            let point = text(of: value, behind: low[..<start], resolution: (to - from) / Double(8 * parts))
            if points.last.map({ $0.isBefore(point) }) ?? true { points.append(point) }
        }
        return points
    }

    /// Returns up to `count` texts that divide the keys behind a page, which goes from `first` to `key`, in order, each `pages`
    /// such pages behind the one before.
    ///
    /// The end of these keys is not known: it is taken to be so far that all of the texts lie before it, as far as the
    /// characters of the keys can show.
    func points(behind key: String, since first: String, pages: Double, count: Int) -> [String] {
        let (start, digits) = (digits(of: first), digits(of: key))
        let common = zip(start, digits).prefix { $0 == $1 }.count
        var end: (text: String, pages: Double)?
        for place in (0..<min(common + 1, digits.count)).reversed() {
            guard let last = alphabet(at: place).last, last >= digits[place],
                let next = Self.successor(of: last)
            else { continue }
            let text = text(digits[..<place] + [next])
            let distance = steps(from: first, to: key, until: text)
            guard distance.isFinite else { continue }
            end = (text, distance)
            if distance >= pages * Double(count + 1) { break }
        }
        guard let end else { return [] }
        let parts = max(1, Int(min(end.pages, 1e6) / pages))
        let points = points(between: key, and: end.text, parts: parts, count: min(count, parts - 1))
        return points.count < count ? points + [end.text] : points
    }

    /// Returns how often the way from `last` to `position` lies between `position` and `end`; infinite if that cannot be said.
    func steps(from last: String, to position: String, until end: String) -> Double {
        let (last, position, end) = (digits(of: last), digits(of: position), digits(of: end))
        let start = zip(last, end).prefix { $0 == $1 }.count
        let (from, to) = (value(of: last, behind: start), value(of: position, behind: start))
        let step = to - from
        return step > 0 ? (value(of: end, behind: start) - to) / step : .infinity
    }

    private func digits(of key: String) -> [Unicode.Scalar] {
        Array(key.unicodeScalars.dropFirst(prefix.count))
    }

    private func text(_ digits: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView(prefix)
        text.append(contentsOf: digits)
        return String(text)
    }

    /// The number that the digits behind the first `start` ones are: 0 is the end of a key, which stands before all others.
    private func value(of digits: [Unicode.Scalar], behind start: Int) -> Double {
        var (value, unit) = (0.0, 1.0)
        for place in start..<min(start + Self.mostDigits, digits.count) {
            let alphabet = alphabet(at: place)
            unit /= Double(alphabet.count + 1)
            value += unit * Double(alphabet.firstIndexInOrder { $0 < digits[place] } + 1)
        }
        return value
    }

    /// The text of a number, with as many digits behind `start` as a `resolution` needs.
    private func text(of value: Double, behind start: ArraySlice<Unicode.Scalar>, resolution: Double)
        -> String
    {
        var digits = Array(start)
        var (rest, unit) = (value, 1.0)
        while unit > resolution, digits.count < start.count + Self.mostDigits {
            let alphabet = alphabet(at: digits.count)
            let scaled = rest * Double(alphabet.count + 1)
            let digit = Int(scaled)
            guard digit > 0, digit <= alphabet.count else { break }
            digits.append(alphabet[digit - 1])
            rest = scaled - Double(digit)
            unit /= Double(alphabet.count + 1)
        }
        return text(digits)
    }

    /// The characters that keys may have at a place, in order.
    private func alphabet(at place: Int) -> [Unicode.Scalar] {
        place < alphabets.count ? alphabets[place] : Self.digits + Self.letters
    }

    /// The characters that were seen and others of their kind, in order.
    private static func alphabet(with seen: Set<Unicode.Scalar>) -> [Unicode.Scalar] {
        var all = seen
        let hasDigits = all.contains { digits.contains($0) }
        if hasDigits { all.formUnion(digits) }
        for letters in [letters, capitals] {
            guard let last = all.filter({ letters.contains($0) }).max() else { continue }
            // Digits and the first six letters are hexadecimal.
            let isHexadecimal = hasDigits && last <= letters[5]
            all.formUnion(isHexadecimal ? Array(letters[...5]) : letters)
        }
        return all.sorted()
    }

    private static let digits = scalars("0"..."9")
    private static let letters = scalars("a"..."z")
    private static let capitals = scalars("A"..."Z")

    private static func scalars(_ range: ClosedRange<Unicode.Scalar>) -> [Unicode.Scalar] {
        (range.lowerBound.value...range.upperBound.value).compactMap(Unicode.Scalar.init)
    }

    private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        // Surrogates are no characters.
        Unicode.Scalar(scalar.value == 0xD7FF ? 0xE000 : scalar.value + 1)
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element `isBefore` does not hold for; it holds for all before it and for none after.
    func firstIndexInOrder(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
