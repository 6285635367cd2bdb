namespace HybridCaching.Configuration;

/// <summary>How long the records of a log are. A plain number stands for records of one size.</summary>
/// <param name="Typical">Bytes of a usual record: how many entries are planned for follows from it.</param>
/// <param name="Smallest">Bytes of the shortest record.</param>
/// <param name="Largest">Bytes of the longest record, if pages are large enough for it.</param>
/// <param name="LargestAlways">Bytes of the longest record that has to find room whatever the budgets are.</param>
internal readonly record struct RecordShape(int Typical, int Smallest, int Largest, int LargestAlways)
{
    public static implicit operator RecordShape(int bytes) => new(bytes, bytes, bytes, bytes);

    public bool IsFixed => Smallest == Largest;
}
