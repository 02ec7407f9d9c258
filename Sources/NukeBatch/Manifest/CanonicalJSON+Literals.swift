/// JSON written as Swift's own literals.
extension CanonicalJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    package init(dictionaryLiteral members: (String, CanonicalJSON)...) {
        self = .object(Dictionary(members) { $1 })
    }

    package init(arrayLiteral elements: CanonicalJSON...) { self = .array(elements) }

    package init(stringLiteral text: String) { self = .string(text) }

    package init(integerLiteral number: Int) { self = .integer(number) }

    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
