/// An option of a command: its description, and the property of `Options` that it sets.
struct Option<Options: Sendable>: Sendable {
    let description: OptionDescription
    let set: ArgumentSetter<Options>

    /// Returns an option that takes no value and makes a property true.
    static func flag(
        _ name: String,
        short: String? = nil,
        _ property: Property<Options, Bool>,
        help: String
    ) -> Self {
        Option(description: OptionDescription(name: name, short: short, help: help)) { options, _ in
            options[keyPath: property] = true
            return true
        }
    }

    /// Returns an option that sets a property with a default.
    static func value<Value>(
        _ name: String,
        short: String? = nil,
        _ property: Property<Options, Value>,
        as form: ArgumentValue<Value>,
        help: String
    ) -> Self {
        Option(name, short: short, as: form, help: help) { $0[keyPath: property] = $1 }
    }

    /// Returns an option that sets a property which is nil without it.
    static func value<Value>(
        _ name: String,
        short: String? = nil,
        _ property: Property<Options, Value?>,
        as form: ArgumentValue<Value>,
        help: String
    ) -> Self {
        Option(name, short: short, as: form, help: help) { $0[keyPath: property] = $1 }
    }

    /// Returns an option whose values are a list, to which each use of it adds.
    static func values<Value>(
        _ name: String,
        _ property: Property<Options, [Value]>,
        as form: ArgumentValue<[Value]>,
        help: String
    ) -> Self {
        Option(name, as: form, help: help) { $0[keyPath: property] += $1 }
    }

    /// Returns the same option of a command whose options contain these.
    func within<Outer: Sendable>(_ part: Property<Outer, Options>) -> Option<Outer> {
        Option<Outer>(description: description) { [set] outer, text in set(&outer[keyPath: part], text) }
    }
}

extension Option {
    private init<Value>(
        _ name: String,
        short: String? = nil,
        as form: ArgumentValue<Value>,
        help: String,
        set: @escaping @Sendable (inout Options, Value) -> Void
    ) {
        description = OptionDescription(name: name, short: short, value: form.description, help: help)
        self.set = form.setter(set)
    }
}

extension Array {
    /// Returns the same options of a command whose options contain these.
    func within<Outer: Sendable, Options>(
        _ part: Property<Outer, Options>
    ) -> [Option<Outer>] where Element == Option<Options> {
        map { $0.within(part) }
    }

    /// Returns the options but for the one of this name.
    func without<Options>(_ name: String) -> Self where Element == Option<Options> {
        filter { $0.description.name != name }
    }
}
