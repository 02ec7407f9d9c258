/// A property of `Root` that an option or operand sets.
typealias Property<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// Sets a property of `Options` from the text of an option or operand; false if the text has another form.
typealias ArgumentSetter<Options> = @Sendable (_ options: inout Options, _ text: String) -> Bool

extension ArgumentValue {
    /// Returns the setter of a property with a default.
    func setter<Options>(
        of property: Property<Options, Value>
    ) -> ArgumentSetter<Options> {
        { [read] options, text in
            guard let value = read(text) else { return false }
            options[keyPath: property] = value
            return true
        }
    }

    /// Returns the setter of a property that is nil without it.
    func setter<Options>(
        of property: Property<Options, Value?>
    ) -> ArgumentSetter<Options> {
        { [read] options, text in
            guard let value = read(text) else { return false }
            options[keyPath: property] = value
            return true
        }
    }

    /// Returns the function that adds a value to those of a property.
    func adder<Options>(
        to property: Property<Options, [Value]>
    ) -> ArgumentSetter<Options> {
        { [read] options, text in
            guard let value = read(text) else { return false }
            options[keyPath: property].append(value)
            return true
        }
    }
}
