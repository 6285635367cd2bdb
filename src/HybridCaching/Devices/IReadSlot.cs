namespace HybridCaching.Devices;

/// <summary>Where who waits on his thread hands a read to the kernel, one at a time, and takes the answer.</summary>
/// <remarks>Not thread-safe. As long as a read is under way it may be neither used for another nor destroyed.</remarks>
internal interface IReadSlot
{
    /// <summary>Hands a read in and waits for it.</summary>
    /// <param name="read">Says what is read, of which file, and where it goes. Has to be kept alive until the read has ended.</param>
    /// <param name="timeout">For how long.</param>
    /// <param name="result">How many bytes were read, or a negative error number; null when the time was over before that: <see cref="TryTake"/> has it later.</param>
    /// <returns>False if the kernel refuses, or the file is closed. True also if the result is <see cref="ReadResult.WouldWait"/>.</returns>
    public bool TryRead(RecordRead read, TimeSpan timeout, out long? result);

    /// <summary>Takes the result of the read that was given up; false if it has not ended.</summary>
    public bool TryTake(out long result);

    /// <summary>Ends it.</summary>
    public void Destroy();
}
