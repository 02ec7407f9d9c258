/// The outputs of one entry of `outputs`, at least one, with the node that errors of their path belong to.
struct CheckedOutputs {
    let outputs: [Output]
    let pathNode: ManifestNode
    /// Their markup, with the node that errors of its file belong to.
    var markup: (markup: Markup, node: ManifestNode)?
    /// The node of the attributes that their objects get; nil if there are none.
    var objectNode: ManifestNode?
    /// The node that says which frames of an animation they show; nil if nothing does.
    var animationNode: ManifestNode?

    /// The path of the first, which has the variables of all.
    var path: OutputPath { outputs[0].path }
}
