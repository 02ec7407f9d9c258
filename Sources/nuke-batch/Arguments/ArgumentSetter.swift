/// A property of `Root` that an option or operand sets.
typealias Property<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// Sets a property of `Options` from the text of an option or operand; false if the text has another form.
typealias ArgumentSetter<Options> = @Sendable (_ options: inout Options, _ text: String) -> Bool

extension ArgumentValue {
    /// Returns the function that reads a text of this form, and hands its value to `set`.
    func setter<Options>(
        _ set: @escaping @Sendable (inout Options, Value) -> Void
    ) -> ArgumentSetter<Options> {
        { [read] options, text in
            guard let value = read(text) else { return false }
            set(&options, value)
            return true
        }
    }
}
