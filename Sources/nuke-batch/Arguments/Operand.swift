/// An operand of a command: its description, and the property of `Options` that it sets.
struct Operand<Options: Sendable>: Sendable {
    let description: OperandDescription
    let set: ArgumentSetter<Options>

    /// Returns an operand that must be given.
    static func required<Value>(_ form: ArgumentValue<Value>, _ property: Property<Options, Value>) -> Self {
        Operand(form, .required) { $0[keyPath: property] = $1 }
    }

    /// Returns an operand that may be left out.
    static func optional<Value>(_ form: ArgumentValue<Value>, _ property: Property<Options, Value?>) -> Self {
        Operand(form, .optional) { $0[keyPath: property] = $1 }
    }

    /// Returns an operand that may be given any number of times.
    static func repeated<Value>(
        _ form: ArgumentValue<Value>,
        _ property: Property<Options, [Value]>
    ) -> Self {
        Operand(form, .repeated) { $0[keyPath: property].append($1) }
    }

    private init<Value>(
        _ form: ArgumentValue<Value>,
        _ arity: OperandDescription.Arity,
        set: @escaping @Sendable (inout Options, Value) -> Void
    ) {
        description = OperandDescription(value: form.description, arity: arity)
        self.set = form.setter(set)
    }
}
