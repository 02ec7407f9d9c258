/// JSON written as Swift's own literals.
extension CanonicalJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    package init(dictionaryLiteral members: (String, CanonicalJSON)...) {
        self = .object(Dictionary(members) { $1 })
    }

    package init(arrayLiteral elements: CanonicalJSON...) { self = .array(elements) }

    package init(stringLiteral text: String) { self = .string(text) }

    package init(integerLiteral number: Int) { self = .integer(number) }

    package init(floatLiteral number: Double) { self = .number(number) }

    package init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A number that is written without a point where it is whole.
    static func plain(_ number: Double) -> CanonicalJSON {
        Int(exactly: number).map(CanonicalJSON.integer) ?? .number(number)
    }
}
