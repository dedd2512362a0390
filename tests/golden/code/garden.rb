# Plans a garden: what to sow, and when.
require 'date'
require_relative '../almanac'

module Garden
  # One bed.
  class Bed < Struct.new(:width, :length)
    include Comparable
    DEPTH = 30

    attr_reader :crops

    def initialize(width, length)
      super
      @crops = []
    end

    # Sows a crop if there is room for it.
    def sow(crop, on: Date.today)
      return false if area < crop.spacing

      @crops << [crop, on]
      true
    end

    def self.square(side)
      new(side, side)
    end

    class << self
      def default = square(1)
    end

    private

    def area = width * length
  end

  def self.season(month)
    case month
    when 3..5 then :spring
    when 6..8 then :summer
    else :rest
    end
  end
end
