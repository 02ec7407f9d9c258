extension Schema {
    /// The quality of each file, and its likeness to the image if the manifest asks for one.
    static let addScores = """
        ALTER TABLE output ADD COLUMN
            quality /* quality in the format's own numbers; NULL: nothing was lost, or an earlier release made it */ INTEGER;
        ALTER TABLE output ADD COLUMN
            ssimulacra2 /* score of SSIMULACRA2; NULL: the manifest asks for none */ REAL;
        ALTER TABLE output ADD COLUMN
            shortfall /* reason why the score is below the one asked for: quality or maxBytes; NULL: it is not */ TEXT;
        CREATE INDEX output_shortfall ON output(shortfall) WHERE shortfall IS NOT NULL;
        DROP VIEW outputs_view;
        \(outputsView("o.encoder", "o.quality", "o.ssimulacra2", "o.shortfall"))
        """
}
