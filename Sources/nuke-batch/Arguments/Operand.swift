/// An operand of a command: its description, and the property of `Options` that it sets.
struct Operand<Options: Sendable>: Sendable {
    let description: OperandDescription
    let set: ArgumentSetter<Options>

    /// Returns an operand that must be given.
    static func required<Value>(
        _ form: ArgumentValue<Value>,
        sets property: Property<Options, Value>
    ) -> Self {
        let description = OperandDescription(value: form.description, arity: .required)
        return Operand(description: description, set: form.setter(of: property))
    }

    /// Returns an operand that may be left out.
    static func optional<Value>(
        _ form: ArgumentValue<Value>,
        sets property: Property<Options, Value?>
    ) -> Self {
        let description = OperandDescription(value: form.description, arity: .optional)
        return Operand(description: description, set: form.setter(of: property))
    }

    /// Returns an operand that may be given any number of times.
    static func repeated<Value>(
        _ form: ArgumentValue<Value>,
        addsTo property: Property<Options, [Value]>
    ) -> Self {
        let description = OperandDescription(value: form.description, arity: .repeated)
        return Operand(description: description, set: form.adder(to: property))
    }
}
